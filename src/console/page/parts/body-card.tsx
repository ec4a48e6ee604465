import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { formatBody, formatJson } from '../../../testing/format-body.ts'
import { decodeUtf8, fromBase64, hexDump } from './bytes.ts'
import { CopyButton } from './clipboard.tsx'
import { CodeBlock } from './code-block.tsx'
import { Tabs } from './fields.tsx'
import { bytes as toLength } from './format.ts'
import { Card } from './frame.tsx'

/** Longer texts are shown as they are, since browsers need long to format them. */
const MAX_FORMATTED = 200_000

/** The exact bytes of a notification; readable as they are, or as the event that a handler gets. */
export function BodyCard({ bodyBase64, event }: { bodyBase64: string; event?: string | undefined }) {
  const views = { read: event === undefined ? 'Readable' : 'Event', exact: 'Exact text', hex: 'Bytes' }
  const view = useSignal<keyof typeof views>('read')
  const bytes = useMemo(() => fromBase64(bodyBase64), [bodyBase64])
  const utf8 = useMemo(() => decodeUtf8(bytes), [bytes])
  const text = utf8 ?? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const shown = useMemo(() => {
    if (view.value === 'hex') return hexDump(bytes)
    if (view.value === 'exact') return text
    if (text.length > MAX_FORMATTED) return event ?? text
    return event === undefined ? formatBody(text) : formatJson(event)
  }, [view.value, event, text])
  const aside = (
    <div class="actions">
      <CopyButton text={text} what="body" />
      <Tabs label="How to show the body" selected={view} options={views} />
    </div>
  )
  return (
    <Card bare title={`Body, ${toLength(bytes.length)}`} aside={aside}>
      {utf8 === undefined && view.value !== 'hex' && (
        <div class="body">
          <p class="note tone-bad">These bytes are not UTF-8. What cannot be read is shown as U+FFFD.</p>
        </div>
      )}
      <CodeBlock
        key={view.value}
        look={view.value === 'hex' ? 'bare line' : 'bare'}
        label={`Body, ${views[view.value].toLowerCase()}`}
        text={shown}
      />
    </Card>
  )
}
