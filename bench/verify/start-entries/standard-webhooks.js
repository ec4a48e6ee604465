import { Webhook } from 'standardwebhooks'

const { body, headers, secret } = JSON.parse(process.argv[2])
const event = new Webhook(secret, { format: 'raw' }).verify(body, headers)
console.log(JSON.parse(event.data).id)
