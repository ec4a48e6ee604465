import { verifyAndParse } from '../../../dist/index.js'

const { body, headers, secret } = JSON.parse(process.argv[2])
const event = verifyAndParse({ body, signature: headers['access-signature'], clientId: secret })
console.log(event.data.id)
