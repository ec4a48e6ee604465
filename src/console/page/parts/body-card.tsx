import { useSignal } from '@preact/signals'
import { decodeLossy, decodeUtf8, fromBase64, hexDump } from './bytes.ts'
import { CopyButton } from './clipboard.tsx'
import { CodeBlock } from './code-block.tsx'
import { bytes as toLength } from './format.ts'
import { Card, Tabs } from './frame.tsx'
import { JsonText, openData } from './json-text.tsx'

type View = 'read' | 'exact' | 'hex'

/** The body of a notification: formatted, as exact text, or as bytes. */
export function BodyCard({ bodyBase64, event }: { bodyBase64: string; event?: string | undefined }) {
  const view = useSignal<View>('read')
  const bytes = fromBase64(bodyBase64)
  const text = decodeUtf8(bytes)
  const shown = decodeLossy(bytes)
  return (
    <Card
      title={`Body, ${toLength(bytes.length)}`}
      aside={
        <div class="actions">
          <CopyButton text={shown} what="body" />
          <Tabs
            label="How to show the body"
            options={[
              ['read', event === undefined ? 'Readable' : 'Event'],
              ['exact', 'Exact text'],
              ['hex', 'Bytes'],
            ]}
            value={view.value}
            onChange={(value) => {
              view.value = value
            }}
          />
        </div>
      }
    >
      {text === undefined && view.value !== 'hex' && (
        <div class="body">
          <p class="note tone-bad">These bytes are not UTF-8. What cannot be read is shown as U+FFFD.</p>
        </div>
      )}
      {view.value === 'read' && <JsonText bare label="Body, readable" text={event ?? openData(shown)} />}
      {view.value === 'exact' && <JsonText bare label="Body, exact text" text={shown} />}
      {view.value === 'hex' && (
        <CodeBlock bare lines label="Body, bytes">
          {hexDump(bytes)}
        </CodeBlock>
      )}
    </Card>
  )
}
