import { Button } from './fields.tsx'
import { notify } from './notice.tsx'

/** Copies a text, even without the clipboard API, which needs loopback or https. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    ;(document.querySelector('dialog[open]') ?? document.body).append(area)
    area.select()
    document.execCommand('copy')
    area.remove()
  }
  notify(`${what} copied`)
}

export function CopyButton({ text, what }: { text: string; what: string }) {
  return <Button look="plain small" label={`Copy ${what}`} work={() => copy(text, what)} text="Copy" />
}

/** What is compared or pasted exactly. */
export function Exact({ text, copied }: { text: string; copied?: string }) {
  return (
    <span class="mono">
      {text} {copied && <CopyButton text={text} what={copied} />}
    </span>
  )
}
