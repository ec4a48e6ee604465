import * as z from 'zod/mini'

const { body } = JSON.parse(process.argv[2])
const payment = z.looseObject({ id: z.int(), status: z.string() })
console.log(payment.parse(JSON.parse(JSON.parse(body).data)).id)
