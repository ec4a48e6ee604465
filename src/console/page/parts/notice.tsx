import { signal } from '@preact/signals'

const notice = signal('')
let timer: ReturnType<typeof setTimeout> | undefined

export function notify(text: string): void {
  notice.value = text
  clearTimeout(timer)
  timer = setTimeout(() => {
    notice.value = ''
  }, 5_000)
}

export async function showErrors(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    notify((error as Error).message)
  }
}

/** Always rendered, so that screen readers announce its changes. A dialog that covers it has its own. */
export function Notices({ isCovered = false }) {
  return (
    <div class="toast" role="status">
      {notice.value && !isCovered && <p>{notice.value}</p>}
    </div>
  )
}
