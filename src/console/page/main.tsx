import { render } from 'preact'
import { openInboxPage } from './inbox/inbox-page.tsx'
import { escapeReordering } from './parts/visible-text.ts'
import { openSandboxPage } from './sandbox/sandbox-page.tsx'
import './style.css'

// Two pages of one script, most of which both need.
const { page } = document.documentElement.dataset
escapeReordering()
render(page === 'inbox' ? openInboxPage() : openSandboxPage(), document.querySelector('#app') as Element)
