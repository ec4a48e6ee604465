/** An auto-reset event: `set` wakes the waiter, or the next one if nobody waits. */
export interface AutoResetEvent {
  set(): void
  /** Resolves once the event is set, or after `limitMs`. */
  wait(limitMs: number): Promise<void>
}

export function createAutoResetEvent(): AutoResetEvent {
  let isSet = false
  let wake: (() => void) | undefined
  return {
    set() {
      isSet = true
      wake?.()
    },
    async wait(limitMs) {
      if (!isSet) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, limitMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      wake = undefined
      isSet = false
    },
  }
}
