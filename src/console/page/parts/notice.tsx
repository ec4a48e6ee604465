import { signal } from '@preact/signals'

const notice = signal('')
let timer: ReturnType<typeof setTimeout> | undefined

/** Tells the user something that goes away by itself. */
export function notify(text: string): void {
  notice.value = text
  clearTimeout(timer)
  timer = setTimeout(() => {
    notice.value = ''
  }, 5_000)
}

/** Does what a button does, and tells when it fails. */
export function run(work: () => Promise<void> | void): () => void {
  return () => void attempt(work)
}

/** Does something, and tells when it fails. */
export async function attempt(work: () => Promise<void> | void): Promise<void> {
  try {
    await work()
  } catch (error) {
    notify((error as Error).message)
  }
}

/** Where notices stand. It is always there, so that screen readers hear of them. */
export function Notices() {
  return (
    <div class="toast" role="status">
      {notice.value && <p>{notice.value}</p>}
    </div>
  )
}
