import type { JSX } from 'preact'
import { set } from '../parts/fields.tsx'
import { bindKeys } from '../parts/keys.tsx'
import { move } from '../parts/list-detail.tsx'
import { showErrors } from '../parts/notice.tsx'
import { go, route } from '../parts/route.ts'
import { replay } from './actions.ts'
import { question } from './confirm.tsx'
import * as store from './inbox-store.ts'
import { InboxView, STATES } from './inbox-view.tsx'

function replayChosen(): void {
  const { id } = route.value
  const ids = store.marked.value.size > 0 ? [...store.marked.value] : id ? [id] : []
  if (ids.length > 0) void showErrors(() => replay(ids))
}

/** @returns what to show */
export function openInboxPage(): JSX.Element {
  bindKeys([
    { key: 'j', label: 'Next notification', run: () => move(store.listing, 1) },
    { key: 'k', label: 'Previous notification', run: () => move(store.listing, -1) },
    { key: '/', label: 'Search', run: () => document.getElementById('search')?.focus() },
    { key: 'x', label: 'Mark it', run: () => route.value.id && store.toggleMark(route.value.id) },
    { key: 'r', label: 'Replay the marked ones, or the one that is open', run: replayChosen },
    { key: 'p', label: 'Delete old ones', run: () => set(question, 'prune') },
    ...Object.entries(STATES).map(([state, [label]], index) => ({
      key: String(index + 1),
      label,
      run: () => {
        go('entries')
        store.state.value = state as store.State
      },
    })),
    { key: 'Escape', label: 'Back to the list', run: () => go('entries') },
  ])
  store.watch()
  return <InboxView />
}
