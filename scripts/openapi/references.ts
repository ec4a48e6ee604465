export interface Reference {
  readonly $ref: string
}

export function ref(name: string, kind: 'schemas' | 'parameters' | 'responses' = 'schemas'): Reference {
  return { $ref: `#/components/${kind}/${name}` }
}

/** The content of a request or response with a JSON body. */
export function json(schema: object) {
  return { content: { 'application/json': { schema } } }
}

/** `client_credentials` is `ClientCredentials`. */
export function toPascalCase(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
