import { ApiError } from './errors.ts'

/** The calls that are being answered, so that closing can wait for them, and end them when it must. */
export class Running {
  readonly #controllers = new Set<AbortController>()
  #onIdle: (() => void)[] = []

  add(): AbortController {
    const controller = new AbortController()
    this.#controllers.add(controller)
    return controller
  }

  remove(controller: AbortController): void {
    this.#controllers.delete(controller)
    if (this.#controllers.size === 0) this.#onIdle.splice(0).forEach((wake) => wake())
  }

  idle(): Promise<void> {
    return this.#controllers.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve))
  }

  abortAll(): void {
    for (const controller of this.#controllers) controller.abort(new ApiError('closing'))
  }
}
