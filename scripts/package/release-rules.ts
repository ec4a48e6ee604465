export interface Release {
  readonly manifest: { readonly version: string; readonly repository?: string | { readonly url?: string } }
  readonly changelog: string
  /** The tags of the commit. */
  readonly tags: readonly string[]
  /** What is not committed. */
  readonly changes: readonly string[]
}

/** Why a commit must not be released; empty if it may be. */
export function reasonsAgainst({ manifest, changelog, tags, changes }: Release): string[] {
  const { version, repository } = manifest
  const url = typeof repository === 'string' ? repository : repository?.url
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`[${version}]`))
  const reasons: readonly (readonly [boolean, string])[] = [
    [!url, 'package.json has no "repository": the provenance must name it'],
    [!tags.includes(`v${version}`), `the commit has no tag v${version}`],
    [changes.length > 0, `there are changes that are not committed: ${changes.join(', ')}`],
    [section === undefined, `CHANGELOG.md has no section [${version}]`],
    [
      section !== undefined && !/\d{4}-\d{2}-\d{2}/.test(section.split('\n', 1)[0] ?? ''),
      `the section [${version}] of CHANGELOG.md has no date`,
    ],
  ]
  return reasons.flatMap(([applies, reason]) => (applies ? [reason] : []))
}
