import { effect } from '@preact/signals'
import type { ComponentType, JSX } from 'preact'
import { Frame } from '../parts/frame.tsx'
import { bindKeys } from '../parts/keys.tsx'
import { move } from '../parts/list-detail.tsx'
import { showErrors } from '../parts/notice.tsx'
import { go, route } from '../parts/route.ts'
import { CheckView } from './check-view.tsx'
import { DeliveriesView } from './deliveries-view.tsx'
import { listing, live, watch } from './delivery-store.ts'
import { clearFaults, FaultsView } from './faults-view.tsx'
import { copyAsCurl, edit, resend } from './resend.tsx'
import { SendView } from './send-view.tsx'
import { activeFaults, loadSetup } from './setup-store.ts'
import { SetupView } from './setup-view.tsx'
import { SignatureView } from './signature-view.tsx'
import { WalkView } from './walk-view.tsx'

const VIEWS: Readonly<Record<string, { label: string; View: ComponentType }>> = {
  deliveries: { label: 'Deliveries', View: DeliveriesView },
  send: { label: 'Send', View: SendView },
  walk: { label: 'Walk', View: WalkView },
  faults: { label: 'Faults', View: FaultsView },
  signature: { label: 'Signature', View: SignatureView },
  check: { label: 'Check', View: CheckView },
  setup: { label: 'Set up', View: SetupView },
}
const LABELS = Object.fromEntries(Object.entries(VIEWS).map(([view, { label }]) => [view, label]))

function SandboxPage() {
  const View = VIEWS[route.value.view]?.View
  const on = activeFaults.value
  return (
    <Frame
      title="Sandbox"
      views={LABELS}
      trouble={live.value ? '' : 'No connection'}
      status={
        on.length > 0 && (
          <a class="chip tone-warn" href="#/faults">
            Faults: {on.join(', ')}
          </a>
        )
      }
    >
      {View && <View />}
    </Frame>
  )
}

function withOpen(work: (id: string) => Promise<void>): () => void {
  return () => {
    const { view, id } = route.value
    if (view === 'deliveries' && id) void showErrors(() => work(id))
  }
}

function search(): void {
  go('deliveries')
  // The view may have to be rendered first.
  queueMicrotask(() => document.getElementById('search')?.focus())
}

export function openSandboxPage(): JSX.Element {
  // Without an entry in the history, to which one could go back.
  effect(() => {
    if (!Object.hasOwn(VIEWS, route.value.view)) location.replace('#/deliveries')
  })
  bindKeys([
    ...Object.entries(LABELS).map(([view, label], index) => ({
      key: String(index + 1),
      label,
      run: () => go(view),
    })),
    { key: 'j', label: 'Next delivery', run: () => move(listing, 1), repeats: true },
    { key: 'k', label: 'Previous delivery', run: () => move(listing, -1), repeats: true },
    { key: '/', label: 'Search in bodies', run: search },
    { key: 'r', label: 'Resend the delivery', run: withOpen((id) => resend(id)) },
    { key: 'e', label: 'Edit and resend it', run: withOpen(edit) },
    { key: 'c', label: 'Copy it as curl', run: withOpen(copyAsCurl) },
    { key: 'n', label: 'Send a notification', run: () => go('send') },
    { key: '0', label: 'Switch all faults off', run: () => void showErrors(clearFaults) },
    { key: 'Escape', label: 'Back to the list', run: () => go('deliveries') },
  ])
  watch()
  void showErrors(loadSetup)
  return <SandboxPage />
}
