import { createHash } from 'node:crypto'
import { bundlePage } from './bundle-page.ts'

const TITLES = { inbox: 'Inbox – payhook', sandbox: 'payhook sandbox' }
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%234f46e5'/%3E%3Cpath d='M4 8.5 7 11.5 12.5 5' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"

/** No external resources. Only its own script and style run, by hash, and no markup in a notification. */
export async function readPage(name: keyof typeof TITLES) {
  const { script, style } = await bundlePage()
  const html = `<!doctype html>
<html lang="en" data-page="${name}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${TITLES[name]}</title>
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>
<body>
<noscript>This page needs JavaScript.</noscript>
<div id="app"></div>
<script type="module">${script}</script>
</body>
</html>
`
  return {
    html,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'",
        `script-src ${toHash(script)}`,
        `style-src ${toHash(style)}`,
        "connect-src 'self'",
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ].join('; '),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    },
  }
}

function toHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
