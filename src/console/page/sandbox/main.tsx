import { render } from 'preact'
import { bindKeys } from '../parts/keys.tsx'
import { attempt } from '../parts/notice.tsx'
import { go, route } from '../parts/route.ts'
import { follow, listed, placeOf } from './delivery-store.ts'
import { clearFaults } from './faults-view.tsx'
import { copyAsCurl, edit, resend } from './resend.ts'
import { SandboxView, VIEWS } from './sandbox-view.tsx'
import { loadSession } from './session.ts'
import '../style.css'

function move(by: number): void {
  const { id } = route.value
  const ids = listed.value
  const at = id === undefined ? -1 : placeOf(id)
  const next = ids[Math.max(0, Math.min(ids.length - 1, at + by))]
  if (next) go('deliveries', next)
}

/** A key that acts on the open delivery. */
function withOpen(work: (id: string) => Promise<void>): () => void {
  return () => {
    const { view, id } = route.value
    if (view === 'deliveries' && id) void attempt(() => work(id))
  }
}

function search(): void {
  go('deliveries')
  // The view may have to be rendered first.
  setTimeout(() => document.getElementById('search')?.focus())
}

if (!VIEWS.some(([view]) => view === route.value.view)) go('deliveries')
bindKeys([
  ...VIEWS.map(([view, label], index) => ({ key: String(index + 1), label, run: () => go(view) })),
  { key: 'j', label: 'Next delivery', run: () => move(1) },
  { key: 'k', label: 'Previous delivery', run: () => move(-1) },
  { key: '/', label: 'Search in bodies', run: search },
  { key: 'r', label: 'Resend the delivery', run: withOpen((id) => resend(id)) },
  { key: 'e', label: 'Edit and resend it', run: withOpen(edit) },
  { key: 'c', label: 'Copy it as curl', run: withOpen(copyAsCurl) },
  { key: 'n', label: 'Send a notification', run: () => go('send') },
  { key: '0', label: 'Switch all faults off', run: () => void attempt(clearFaults) },
  { key: 'Escape', label: 'Back to the list', run: () => go('deliveries') },
])
follow()
void attempt(loadSession)
render(<SandboxView />, document.querySelector('#app') as Element)
