import { COLORS, escapeXml, type Line, roundUp, short, text } from '../../bench/line-plot.ts'

/** Some plots above one another over the same seconds, and below them when each alert fired. */
export interface Timeline {
  readonly title: string
  readonly seconds: number
  /** What happened meanwhile. */
  readonly spans: readonly Span[]
  readonly plots: readonly { readonly title: string; readonly lines: readonly Line[] }[]
  readonly alerts: readonly Span[]
}

export interface Span {
  readonly name: string
  readonly from: number
  readonly to: number
}

const WIDTH = 740
const LEFT = 48
const RIGHT = 560
const TOP = 66
const PLOT_HEIGHT = 76
const PLOT_DISTANCE = 118
const ALERT_HEIGHT = 20

/** Writes the timeline as an SVG that follows the color scheme of the page. */
export function toTimelineSvg({ title, seconds, spans, plots, alerts }: Timeline): string {
  const toX = (second: number) => LEFT + (second / seconds) * (RIGHT - LEFT)
  const alertsTop = TOP + plots.length * PLOT_DISTANCE
  const bottom = alertsTop + alerts.length * ALERT_HEIGHT + 4
  const rect = ({ from, to }: Span, y: number, height: number, more: string) =>
    `<rect x="${toX(from).toFixed(1)}" y="${y}" width="${(toX(to) - toX(from)).toFixed(1)}" height="${height}" ${more}/>`

  const bands = spans.map((span) => [
    rect(span, TOP - 22, bottom - TOP + 22, 'class="band"'),
    text((toX(span.from) + toX(span.to)) / 2, TOP - 28, span.name, 'middle'),
  ])
  const drawn = plots.map(({ title, lines }, at) => toPlot(title, lines, TOP + at * PLOT_DISTANCE, toX))
  const bars = alerts.map((alert, at) => {
    const y = alertsTop + at * ALERT_HEIGHT
    return [rect(alert, y, 12, 'fill="#cf222e" rx="2"'), text(RIGHT + 16, y + 11, alert.name, 'start')]
  })
  const ticks = Array.from({ length: Math.floor(seconds / 10) + 1 }, (_, at) =>
    text(toX(at * 10), bottom + 18, `${at * 10} s`, 'middle'),
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 28}" role="img" aria-label="${escapeXml(title)}">`,
    '<style>text{font:12px system-ui,sans-serif;fill:#1f2328}.grid{stroke:#d1d9e0}.band{fill:#d1d9e0;opacity:.4}',
    '@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.grid{stroke:#3d444d}.band{fill:#3d444d}}</style>',
    ...[bands, drawn, bars, ticks].flat(2),
    '</svg>\n',
  ].join('\n')
}

function toPlot(
  title: string,
  lines: readonly Line[],
  top: number,
  toX: (second: number) => number,
): string[] {
  const highest = roundUp(Math.max(1, ...lines.flatMap(({ points }) => points.map(([, y]) => y))))
  const bottom = top + PLOT_HEIGHT
  const toY = (value: number) => bottom - (value / highest) * PLOT_HEIGHT
  return [
    `<text x="${LEFT}" y="${top - 8}" style="font-weight:600">${escapeXml(title)}</text>`,
    ...[0, highest / 2, highest].flatMap((value) => [
      `<path class="grid" d="M${LEFT} ${toY(value)}H${RIGHT}"/>`,
      text(LEFT - 8, toY(value) + 4, short(value), 'end'),
    ]),
    ...lines.flatMap(({ name, points }, at) => {
      const color = COLORS[at]
      const path = points.map(([x, y]) => `${toX(x).toFixed(1)} ${toY(y).toFixed(1)}`)
      const key = top + 8 + at * 18
      return [
        `<path fill="none" stroke="${color}" stroke-width="2" d="M${path.join('L')}"/>`,
        `<path stroke="${color}" stroke-width="3" d="M${RIGHT + 16} ${key}h14"/>`,
        text(RIGHT + 36, key + 4, name, 'start'),
      ]
    }),
  ]
}
