import { render } from 'preact'
import { openInboxPage } from './inbox/inbox-page.tsx'
import { escapeReordering } from './parts/visible-text.ts'
import { openSandboxPage } from './sandbox/sandbox-page.tsx'
import './style.css'

// Two pages of one script, most of which both need.
const app = document.querySelector('#app') as HTMLElement
escapeReordering()
render(app.dataset.page === 'inbox' ? openInboxPage() : openSandboxPage(), app)
