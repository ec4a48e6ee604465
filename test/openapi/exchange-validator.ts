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

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema?: { readonly type?: string }
}

interface Operation {
  readonly requestBody?: { readonly required?: boolean }
  readonly responses: object
}

interface Found {
  /** The place of the operation. */
  readonly keys: readonly string[]
  readonly operation: Operation
  readonly inPath: Readonly<Record<string, string>>
}

/** Says where exchanges differ from an OpenAPI document. */
export function createExchangeValidator(document: object) {
  const { paths, webhooks } = document as { readonly paths: object; readonly webhooks?: object }
  // An OpenAPI document is no JSON Schema itself. To compile the metaschema would take longer than most tests.
  const options = { strict: false, allErrors: true, validateSchema: false, meta: false }
  const ajv = addFormats.default(new Ajv2020(options))
  ajv.addSchema(document, 'document')
  const templates = Object.keys(paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  }))

  /** An object of the document and its place, with references followed. */
  function at(...keys: readonly string[]): { pointer: string; value: unknown } {
    let pointer = ''
    let value: unknown = document
    for (const [index, key] of keys.entries()) {
      pointer += `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      value = Object(value)[key]
      const { $ref } = Object(value)
      if (typeof $ref !== 'string') continue
      const target = $ref.split('/').slice(1)
      return at(...target, ...keys.slice(index + 1))
    }
    return { pointer, value }
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
    const [media = ''] = String(type).toLowerCase().split(';', 1)
    const { pointer, value } = at(...keys, 'content', media, 'schema')
    if (value === undefined) return [`${what} is ${media || 'of no type'}`]
    if (media === 'text/event-stream') return checkStream(text, pointer)
    try {
      const isForm = media === 'application/x-www-form-urlencoded'
      return check(what, isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text), pointer)
    } catch (error) {
      return [`${what}: ${error}`]
    }
  }

  function checkStream(text: string, pointer: string): string[] {
    const events = text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)
    return [...events].flatMap(([, name, data = '']) =>
      check(`event ${name}`, JSON.parse(data), `${pointer}/properties/${name}`),
    )
  }

  function find({ method, path }: Exchange): Found | undefined {
    for (const template of templates) {
      const match = template.pattern.exec(path)
      if (match === null) continue
      const keys = ['paths', template.path, method === 'HEAD' ? 'get' : method.toLowerCase()]
      const operation = at(...keys).value as Operation | undefined
      if (operation !== undefined) return { keys, operation, inPath: { ...match.groups } }
    }
    return undefined
  }

  return {
    /** What the request of an exchange has that the document does not say. */
    checkRequest(exchange: Exchange): string[] {
      const { headers, body, query } = exchange
      const found = find(exchange)
      if (found === undefined) return ['the request is not documented']
      const { keys, operation, inPath } = found
      const lists = [
        [...keys.slice(0, 2), 'parameters'],
        [...keys, 'parameters'],
      ]
      const parameters = lists.flatMap((list) =>
        Object.keys(Object(at(...list).value)).map((index) => at(...list, index)),
      )
      const faults = parameters.flatMap(({ pointer, value }) => {
        const { name, in: where, required = false, schema } = value as Parameter
        const sources = { path: inPath[name], query: query.get(name), header: headers[name.toLowerCase()] }
        const given = sources[where] ?? undefined
        if (given === undefined) return required ? [`there is no ${name}`] : []
        const isNumber = where === 'query' && schema?.type !== 'string' && /^\d+$/.test(String(given))
        return check(name, isNumber ? Number(given) : given, `${pointer}/schema`)
      })
      const { requestBody } = operation
      if (requestBody === undefined) return faults
      if (body === '') return requestBody.required ? [...faults, 'there is no body'] : faults
      return [...faults, ...checkContent('request', headers['content-type'], body, [...keys, 'requestBody'])]
    },
    /** What the response of an exchange has that the document does not say. */
    checkResponse(exchange: Exchange): string[] {
      const { method, status, responseHeaders, responseBody } = exchange
      const found = find(exchange)
      // What is not HTTP is rejected by the server itself.
      if (status === 400 && responseBody === '') return []
      if (found === undefined) return status >= 400 ? [] : ['the operation is not documented']
      const { keys, operation } = found
      const documented = [String(status), `${String(status)[0]}XX`]
      const key = documented.find((one) => Object.hasOwn(operation.responses, one))
      if (key === undefined) return [`the status ${status} is not documented`]
      if (method === 'HEAD') return []
      const type = responseHeaders['content-type']
      return checkContent('response', type, responseBody, [...keys, 'responses', key])
    },
    /** What is wrong with a notification, and with the JSON in its data. */
    checkNotification(body: string, signature: unknown): string[] {
      const envelope = JSON.parse(body) as { type: string; data?: unknown }
      const keys = ['webhooks', envelope.type, 'post']
      if (!Object.hasOwn(webhooks ?? {}, envelope.type)) return [`${envelope.type} is not documented`]
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

function parseOr(fallback: unknown, json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return fallback
  }
}
