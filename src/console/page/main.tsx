import { options, render } from 'preact'
import { toEscape } from '../../json/to-escape.ts'
import { openInboxPage } from './inbox/inbox-page.tsx'
import { openSandboxPage } from './sandbox/sandbox-page.tsx'
import './style.css'

/** Characters that nobody sees. Some reorder a text, so that a sender can make "dead" read like another. */
const INVISIBLE = /[^\P{Cc}\t\n]|[\p{Cf}\p{DI}\p{Zl}\p{Zp}]/gu

// Shown in all text of the page as escapes, as the command line does.
const { vnode: next } = options
options.vnode = (vnode) => {
  // The node of a text. Its props are the text.
  const text: unknown = vnode.props
  if (typeof text === 'string') (vnode as { props: unknown }).props = text.replace(INVISIBLE, toEscape)
  next?.(vnode)
}

// Two pages of one script, most of which both need.
const { page } = document.documentElement.dataset
render(page === 'inbox' ? openInboxPage() : openSandboxPage(), document.querySelector('#app') as Element)
