import type { CheckedSandboxOptions } from '../state/sandbox-options.ts'

/** The OpenAPI document of the control API of the sandbox at `url`. */
export async function readControlDocument(url: string): Promise<object> {
  const { default: document } = await import('./control-openapi.json', { with: { type: 'json' } })
  return { ...document, servers: [{ url }] }
}

/** The OpenAPI document of the service, with the paths of the sandbox at `url`. */
export async function readServiceDocument(
  url: string,
  { servicePath, authorizePath }: Pick<CheckedSandboxOptions, 'servicePath' | 'authorizePath'>,
): Promise<object> {
  const { default: document } = await import('./service-openapi.json', { with: { type: 'json' } })
  const text = JSON.stringify(document)
    .replaceAll('/svc/v1.', `/${servicePath}/v1.`)
    .replaceAll('"/oauth/authorize"', JSON.stringify(authorizePath))
  return { ...JSON.parse(text), servers: [{ url }] }
}
