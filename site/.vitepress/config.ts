import { readdirSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { withMermaid } from 'vitepress-plugin-mermaid'
import { toAnchor } from './to-anchor.ts'
import { withoutEmptyHeaders } from './without-empty-headers.ts'

const page = (text: string, name: string) => ({ text, link: `/${name}` })

const reference = readdirSync(new URL('../pages/reference', import.meta.url))
  .filter((name) => name !== 'index.md')
  .map((name) => name.replace('.md', ''))
  .map((name) => page(name === 'payhook' ? name : `payhook/${name}`, `reference/${name}`))
  .toSorted((one, other) => one.text.localeCompare(other.text))

export default withMermaid(
  defineConfig({
    title: 'payhook',
    mermaid: { sequence: { actorMargin: 30, actorFontSize: 18, messageFontSize: 18, noteFontSize: 18 } },
    description: "Receive a payments service's signed webhook notifications",
    lang: 'en',
    srcDir: 'pages',
    srcExclude: ['public/**'],
    outDir: 'dist',
    cleanUrls: false,
    // The theme's home page has no landmark.
    transformHtml: (html) => html.replace('class="VPHome"', 'role="main" class="VPHome"'),
    markdown: {
      theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
      anchor: { slugify: toAnchor },
      config: withoutEmptyHeaders,
    },
    themeConfig: {
      search: { provider: 'local' },
      outline: [2, 3],
      nav: [
        page('Guide', 'quick-start'),
        page('Reference', 'reference/'),
        page('Changelog', 'changelog'),
        page('Versions', 'versions'),
      ],
      sidebar: [
        {
          text: 'Start',
          items: [
            page('Quick start', 'quick-start'),
            page('A shop', 'shop'),
            page('How it works', 'how-it-works'),
            page('Migrate', 'migrate'),
          ],
        },
        {
          text: 'Receive',
          items: [
            page('Frameworks', 'frameworks'),
            page('Receiver', 'receiver'),
            page('Events', 'events'),
            page('Serverless', 'serverless'),
          ],
        },
        {
          text: 'Keep and handle',
          items: [
            page('Inbox', 'inbox'),
            page('SQLite', 'sqlite'),
            page('Redis', 'redis'),
            page('PostgreSQL', 'postgres'),
            page('Exactly once', 'exactly-once'),
            page('Reconcile', 'reconcile'),
            page('Client', 'client'),
          ],
        },
        {
          text: 'Try',
          items: [
            page('Testing', 'testing'),
            page('Sandbox', 'sandbox'),
            page('Check a receiver', 'check'),
            page('Command line', 'cli'),
          ],
        },
        {
          text: 'Run',
          items: [
            page('Operations', 'operations'),
            page('Telemetry', 'telemetry'),
            page('Errors', 'errors'),
            page('Security', 'security'),
            page('Personal data', 'personal-data'),
            page('Performance', 'performance'),
          ],
        },
        {
          text: 'Look up',
          items: [page('Protocol', 'protocol'), page('Versions', 'versions'), page('Changelog', 'changelog')],
        },
        { text: 'Reference', items: reference },
      ],
    },
  }),
)
