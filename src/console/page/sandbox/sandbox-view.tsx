import { Frame } from '../parts/frame.tsx'
import { route } from '../parts/route.ts'
import { CheckView } from './check-view.tsx'
import { DeliveriesView } from './deliveries-view.tsx'
import { live } from './delivery-store.ts'
import { EditDialog } from './edit-dialog.tsx'
import { activeFaults, FaultsView } from './faults-view.tsx'
import { SendView } from './send-view.tsx'
import { SetupView } from './setup-view.tsx'
import { WalkView } from './walk-view.tsx'

export const VIEWS = [
  ['deliveries', 'Deliveries'],
  ['send', 'Send'],
  ['walk', 'Walk'],
  ['faults', 'Faults'],
  ['check', 'Check'],
  ['setup', 'Set up'],
] as const

const CONTENT: Record<string, () => preact.JSX.Element> = {
  send: SendView,
  walk: WalkView,
  faults: FaultsView,
  check: CheckView,
  setup: SetupView,
}

/** The page of a sandbox. */
export function SandboxView() {
  const Content = CONTENT[route.value.view] ?? DeliveriesView
  const on = activeFaults.value
  return (
    <Frame
      title="Sandbox"
      views={VIEWS}
      status={
        <>
          {on.length > 0 && (
            <a class="chip tone-warn" href="#/faults">
              Faults: {on.join(', ')}
            </a>
          )}
          <span class={live.value ? 'live on' : 'live'}>{live.value ? 'Live' : 'No connection'}</span>
        </>
      }
    >
      <Content />
      <EditDialog />
    </Frame>
  )
}
