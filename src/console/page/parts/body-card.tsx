import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { decodeLossy, decodeUtf8, fromBase64, hexDump } from './bytes.ts'
import { CopyButton } from './clipboard.tsx'
import { CodeBlock, CodeParts } from './code-block.tsx'
import { Tabs } from './fields.tsx'
import { bytes as toLength } from './format.ts'
import { Card } from './frame.tsx'
import { formatBody, formatJson } from './json.ts'

const BYTES_A_PART = 4_096

export function BodyCard({ bodyBase64, event }: { bodyBase64: string; event?: string | undefined }) {
  const view = useSignal<'read' | 'exact' | 'hex'>('read')
  const bytes = useMemo(() => fromBase64(bodyBase64), [bodyBase64])
  const utf8 = useMemo(() => decodeUtf8(bytes), [bytes])
  const text = useMemo(() => utf8 ?? decodeLossy(bytes), [bytes])
  const readable = useMemo(() => (event === undefined ? formatBody(text) : formatJson(event)), [event, text])
  return (
    <Card
      bare
      title={`Body, ${toLength(bytes.length)}`}
      aside={
        <div class="actions">
          <CopyButton text={text} what="body" />
          <Tabs
            label="How to show the body"
            selected={view}
            options={{ read: event === undefined ? 'Readable' : 'Event', exact: 'Exact text', hex: 'Bytes' }}
          />
        </div>
      }
    >
      {utf8 === undefined && view.value !== 'hex' && (
        <div class="body">
          <p class="note tone-bad">These bytes are not UTF-8. What cannot be read is shown as U+FFFD.</p>
        </div>
      )}
      {view.value === 'hex' ? (
        <CodeParts bare lines label="Body, bytes" count={Math.max(1, Math.ceil(bytes.length / BYTES_A_PART))}>
          {(index) => hexDump(bytes, index * BYTES_A_PART, (index + 1) * BYTES_A_PART)}
        </CodeParts>
      ) : (
        <CodeBlock
          key={view.value}
          bare
          label={view.value === 'read' ? 'Body, readable' : 'Body, exact text'}
          text={view.value === 'read' ? readable : text}
        />
      )}
    </Card>
  )
}
