const MAX_CONCURRENT = 50

interface Queue {
  running: number
  waiting: (() => void)[]
  next: number
}

/** Limits the concurrent attempts for each origin, so that a slow receiver does not delay the others. */
export class ReceiverSlots {
  readonly #queues = new Map<string, Queue>()

  /** Runs a task when the receiver of the URL has a free slot. Tasks wait in order. */
  async run<Result>(url: string, task: () => Promise<Result>): Promise<Result> {
    const { origin } = new URL(url)
    const queue = this.#queues.get(origin) ?? { running: 0, waiting: [], next: 0 }
    this.#queues.set(origin, queue)
    if (queue.running < MAX_CONCURRENT) queue.running++
    else await new Promise<void>((resolve) => queue.waiting.push(resolve))
    try {
      return await task()
    } finally {
      // An index, because shift() would move all waiting tasks each time.
      const next = queue.waiting[queue.next++]
      if (next) next()
      else {
        queue.waiting = []
        queue.next = 0
        queue.running--
      }
    }
  }
}
