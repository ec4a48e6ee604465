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
    markdown: {
      theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
      anchor: { slugify: toAnchor },
      config: withoutEmptyHeaders,
    },
    themeConfig: {
      search: { provider: 'local' },
      outline: [2, 3],
      nav: [page('Guide', 'index'), page('Reference', 'reference/'), page('Changelog', 'changelog')],
      sidebar: [
        {
          text: 'Start',
          items: [
            page('Overview', 'index'),
            page("A notification's way", 'architecture'),
            page('Frameworks', 'frameworks'),
            page('Serverless', 'serverless'),
          ],
        },
        {
          text: 'Guide',
          items: [
            page('Receiver', 'receiver'),
            page('Events', 'events'),
            page('Inbox', 'inbox'),
            page('Effects', 'effects'),
            page('Did we miss one?', 'reconcile'),
            page('Client', 'client'),
            page('Sandbox', 'sandbox'),
            page('Console', 'console'),
            page('Command line', 'cli'),
          ],
        },
        {
          text: 'Run it',
          items: [
            page('Operations', 'operations'),
            page('Telemetry', 'telemetry'),
            page('Errors', 'errors'),
            page('Security', 'security'),
            page('Personal data', 'personal-data'),
            page('Performance', 'performance'),
            page('Scale', 'scale'),
          ],
        },
        {
          text: 'Come and go',
          items: [
            page('From a hand-written receiver', 'from-a-hand-written-receiver'),
            page('From Stripe', 'from-stripe'),
            page('From Svix', 'from-svix'),
            page('From octokit', 'from-octokit'),
            page('Check any receiver', 'check'),
            page('How to leave', 'leaving'),
            page('Versions and support', 'support'),
          ],
        },
        { text: 'Protocol', items: [page('Protocol', 'protocol'), page('OpenAPI', 'openapi')] },
        { text: 'Reference', items: reference },
      ],
    },
  }),
)
