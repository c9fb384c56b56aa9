/** A model file that cannot be used: the message is a sentence that names the file, says what is wrong and where. */
export class WeightsError extends Error {
  override name = 'WeightsError'
}
