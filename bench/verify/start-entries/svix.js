import { Webhook } from 'svix'

const { body, headers, secret } = JSON.parse(process.argv[2])
new Webhook(secret, { format: 'raw' }).verify(body, headers)
console.log(JSON.parse(JSON.parse(body).data).id)
