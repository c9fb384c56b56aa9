/** One host that has URLs waiting. */
export type HostPlace = {
  host: string
  waiting: number
  /** Epoch ms before which it is not asked. */
  nextAt: number
  failures: number
  busy: boolean
  /** Where it answers; unknown until it was looked up. */
  address?: string
}

/**
 * Who is asked next: the host that has been due longest, one request in flight a host and an address. Times come from
 * outside; nothing here waits.
 */
export class HostLine {
  readonly #hosts = new Map<string, HostPlace>()
  readonly #busyAddresses = new Set<string>()

  get(host: string): HostPlace | undefined {
    return this.#hosts.get(host)
  }

  /** More URLs wait at a host; `state` tells what is known of one that is new here. */
  add(host: string, count: number, state: () => { nextAt: number; failures: number }): HostPlace {
    const place = this.#hosts.get(host) ?? { host, waiting: 0, busy: false, ...state() }
    this.#hosts.set(host, place)
    place.waiting += count
    return place
  }

  /** The host to ask now, if one may be asked. */
  nextReady(now: number): HostPlace | undefined {
    let best: HostPlace | undefined
    for (const place of this.#hosts.values()) {
      if (place.nextAt <= now && this.#isFree(place) && (best === undefined || place.nextAt < best.nextAt)) best = place
    }
    return best
  }

  /** When the next free host is due; undefined when none waits, or all that wait are busy. */
  nextAt(): number | undefined {
    const times = [...this.#hosts.values()].filter((place) => this.#isFree(place)).map((place) => place.nextAt)
    return times.length === 0 ? undefined : times.reduce((least, time) => Math.min(least, time))
  }

  /** URLs that wait at all hosts together. */
  waiting(): number {
    return [...this.#hosts.values()].reduce((sum, place) => sum + place.waiting, 0)
  }

  isEmpty(): boolean {
    return [...this.#hosts.values()].every((place) => place.waiting === 0)
  }

  claim(place: HostPlace): void {
    place.busy = true
    if (place.address !== undefined) this.#busyAddresses.add(place.address)
  }

  /** Ends a claim. `claimed` is the address at the time of the claim. */
  release(place: HostPlace, claimed: string | undefined): void {
    place.busy = false
    if (claimed !== undefined) this.#busyAddresses.delete(claimed)
  }

  #isFree(place: HostPlace): boolean {
    const addressFree = place.address === undefined || !this.#busyAddresses.has(place.address)
    return place.waiting > 0 && !place.busy && addressFree
  }
}
