import { Type, type Static } from 'typebox'

/** What concerns the processes themselves rather than one part. */
export const logOptions = Type.Object({
  to: Type.Union([Type.Literal('file'), Type.Literal('stderr')], {
    default: 'file',
    env: 'UNMASK_LOG_TO',
    description: 'Where log lines go: `file` is logs/unmask.log in the data folder, `stderr` suits containers.',
  }),
  level: Type.Union([Type.Literal('debug'), Type.Literal('info'), Type.Literal('warn'), Type.Literal('error')], {
    default: 'info',
    env: 'UNMASK_LOG_LEVEL',
    description: 'The least important kind of line that is written.',
  }),
  fileBytesMax: Type.Integer({
    default: 10_485_760,
    minimum: 65_536,
    maximum: 1_073_741_824,
    env: 'UNMASK_LOG_FILE_BYTES_MAX',
    description: 'A log file of this size is put aside and a new one begun.',
  }),
  filesMax: Type.Integer({
    default: 5,
    minimum: 1,
    maximum: 100,
    env: 'UNMASK_LOG_FILES_MAX',
    description: 'How many log files are kept, the newest among them.',
  }),
})

export type LogOptions = Static<typeof logOptions>
