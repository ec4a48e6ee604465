import { render } from 'preact'
import { bindKeys } from '../parts/keys.tsx'
import { attempt } from '../parts/notice.tsx'
import { go, route } from '../parts/route.ts'
import { replay } from './actions.ts'
import { question } from './confirm-dialogs.tsx'
import * as store from './inbox-store.ts'
import { InboxView } from './inbox-view.tsx'
import '../style.css'

function move(by: number): void {
  const { id } = route.value
  const at = id === undefined ? -1 : (store.indices.value.get(id) ?? -1)
  const next = store.entries.value[Math.max(0, Math.min(store.entries.value.length - 1, at + by))]
  if (next) go('entries', next.id)
}

function showState(state: store.State): void {
  go('entries')
  void attempt(() => store.show({ state }))
}

bindKeys([
  { key: 'j', label: 'Next notification', run: () => move(1) },
  { key: 'k', label: 'Previous notification', run: () => move(-1) },
  { key: '/', label: 'Search', run: () => document.getElementById('search')?.focus() },
  { key: 'x', label: 'Mark it', run: () => route.value.id && store.toggleMark(route.value.id) },
  {
    key: 'r',
    label: 'Replay the marked ones, or the one that is open',
    run: () => {
      const { id } = route.value
      const ids = store.marked.value.size > 0 ? [...store.marked.value] : id ? [id] : []
      if (ids.length > 0) void attempt(() => replay(ids))
    },
  },
  {
    key: 'p',
    label: 'Delete old ones',
    run: () => {
      question.value = 'prune'
    },
  },
  { key: '1', label: 'Dead', run: () => showState('dead') },
  { key: '2', label: 'Waiting', run: () => showState('waiting') },
  { key: '3', label: 'Active', run: () => showState('active') },
  { key: '4', label: 'Handled', run: () => showState('completed') },
  { key: 'Escape', label: 'Back to the list', run: () => go('entries') },
])
render(<InboxView />, document.querySelector('#app') as Element)
