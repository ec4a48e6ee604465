import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** A request and its response, as they were on the wire. */
export interface Exchange {
  readonly method: string
  /** The path, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
  readonly status: number
  readonly responseHeaders: Readonly<Record<string, unknown>>
  readonly responseBody: string
}

interface MediaTypes {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
}

interface Operation {
  readonly parameters?: readonly object[]
  readonly requestBody?: MediaTypes & { readonly required?: boolean }
  readonly responses: Readonly<Record<string, object>>
}

type PathItem = { readonly parameters?: readonly object[] } & Readonly<Record<string, Operation>>

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, PathItem>>
  readonly webhooks?: Readonly<Record<string, PathItem>>
}

export type ExchangeValidator = ReturnType<typeof createExchangeValidator>

/** Says where exchanges differ from an OpenAPI document. */
export function createExchangeValidator(document: object) {
  const { paths, webhooks = {} } = document as OpenapiDocument
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
  ajv.addSchema(document, 'document')
  const templates = Object.keys(paths).map((path) => ({
    path,
    // A literal segment comes before a parameter.
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  }))

  /** The place of an object in the document, with references followed. */
  function at(...keys: readonly string[]): { pointer: string; value: never } {
    let pointer = ''
    let value = document as Record<string, unknown>
    for (const key of keys) {
      pointer += `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      value = value?.[key] as Record<string, unknown>
      if (typeof value?.$ref === 'string') {
        pointer = value.$ref.slice(1)
        return at(...pointer.slice(1).split('/').map(unescapePointer), ...keys.slice(keys.indexOf(key) + 1))
      }
    }
    return { pointer, value: value as never }
  }

  /** What is wrong with a value at a schema of the document. */
  function check(what: string, value: unknown, pointer: string): string[] {
    const id = `document#${encodeURI(pointer)}`
    const validate = ajv.getSchema(id) ?? ajv.compile({ $ref: id })
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${what}${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
    )
  }

  function checkContent(what: string, type: unknown, text: string, keys: readonly string[]): string[] {
    const { pointer, value } = at(...keys, 'content')
    const [media = ''] = String(type).toLowerCase().split(';', 1)
    const schema = `${pointer}/${media.replace('/', '~1')}/schema`
    if (!Object.hasOwn(value ?? {}, media)) return [`${what} is ${media || 'of no type'}`]
    if (media === 'text/event-stream')
      return checkStream(text, at(...keys, 'content', media, 'schema').pointer)
    try {
      const content = media.endsWith('json')
        ? JSON.parse(text)
        : Object.fromEntries(new URLSearchParams(text))
      return check(what, content, schema)
    } catch (error) {
      return [`${what}: ${error}`]
    }
  }

  function checkStream(text: string, pointer: string): string[] {
    const events = text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)
    return [...events].flatMap(([, name, data = '']) =>
      check(`event ${name}`, { [`${name}`]: JSON.parse(data) }, pointer).filter(
        (error) => !error.includes('missingProperty') || error.includes(`${name}/`),
      ),
    )
  }

  function checkRequest(
    { headers, body, query, path }: Exchange,
    keys: readonly string[],
    pathKeys: readonly string[],
    values: Record<string, string>,
  ): string[] {
    const own = [
      [...pathKeys, 'parameters'],
      [...keys, 'parameters'],
    ]
    const places = own.flatMap((place) =>
      Object.keys(at(...place).value ?? []).map((index) => [...place, index]),
    )
    const faults = places.flatMap((place) => {
      const { pointer, value } = at(...place)
      const { name, in: where, required = where === 'path' } = value as Parameter
      const given =
        { path: values[name], query: query.get(name), header: headers[name.toLowerCase()] }[where] ??
        undefined
      if (given === undefined) return required ? [`${path} lacks ${name}`] : []
      const isNumber = /^\d+$/.test(String(given)) && where === 'query'
      return check(name, isNumber ? Number(given) : given, `${pointer}/schema`)
    })
    const { value } = at(...keys, 'requestBody')
    const declared = value as Operation['requestBody']
    if (declared === undefined) return faults
    if (body === '') return declared.required ? [...faults, 'the request has no body'] : faults
    return [...faults, ...checkContent('request', headers['content-type'], body, [...keys, 'requestBody'])]
  }

  return {
    check,
    /** What an exchange has that the document does not say. A rejected request need not be right. */
    violations(exchange: Exchange, { anyRequest = false } = {}): string[] {
      const { path, method, status, responseHeaders, responseBody } = exchange
      const isRejected = status >= 400
      const candidates = templates.map((template) => ({ ...template, match: template.pattern.exec(path) }))
      const found = candidates.find(({ match }) => match !== null)
      // The server itself rejects what is not HTTP.
      if (status === 400 && responseBody === '') return []
      if (found === undefined) return isRejected ? [] : ['the path is not documented']
      const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
      const pathKeys = ['paths', found.path]
      const keys = [...pathKeys, verb]
      const operation = at(...keys).value as Operation | undefined
      if (operation === undefined) return isRejected ? [] : ['the method is not documented']
      const { responses } = operation
      const key = [String(status), `${String(status)[0]}XX`].find((one) => Object.hasOwn(responses, one))
      if (key === undefined) return [`the status ${status} is not documented`]
      const faults =
        isRejected || anyRequest ? [] : checkRequest(exchange, keys, pathKeys, { ...found.match?.groups })
      if (method === 'HEAD') return faults
      const type = responseHeaders['content-type']
      return [...faults, ...checkContent('response', type, responseBody, [...keys, 'responses', key])]
    },
    /** What is wrong with a notification, and with the JSON in its data. */
    checkNotification(body: string, signature: unknown): string[] {
      const envelope = JSON.parse(body) as { type: string; data?: unknown }
      const keys = ['webhooks', envelope.type, 'post']
      if (!Object.hasOwn(webhooks, envelope.type)) return [`${envelope.type} is not documented`]
      const { pointer } = at(...keys, 'requestBody', 'content', 'application/json', 'schema')
      const forms = [envelope]
      if (typeof envelope.data === 'string')
        forms.push({ ...envelope, data: parseOr(undefined, envelope.data) })
      return [
        ...check('signature', signature, `${at(...keys, 'parameters', '0').pointer}/schema`),
        ...forms.flatMap((form) => check(envelope.type, form, pointer)),
      ]
    },
    /** What is wrong with the reply of a receiver. */
    checkReply(
      kind: string,
      { status, headers, body }: { status: number; headers: Readonly<Record<string, string>>; body: string },
    ): string[] {
      const keys = ['webhooks', kind, 'post', 'responses', String(status)]
      if (at(...keys).value === undefined) return [`the status ${status} is not documented`]
      return checkContent('reply', headers['content-type'], body, keys)
    },
  }
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

function parseOr(fallback: unknown, json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return fallback
  }
}
