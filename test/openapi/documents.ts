import control from '../../src/sandbox/openapi/control-openapi.json' with { type: 'json' }
import service from '../../src/sandbox/openapi/service-openapi.json' with { type: 'json' }
import { createExchangeValidator } from './exchange-validator.ts'

export const documents = { control, service }
export const controlApi = createExchangeValidator(control)
export const serviceApi = createExchangeValidator(service)
