import { verify } from '@octokit/webhooks-methods'

const { body, headers, secret } = JSON.parse(process.argv[2])
if (!(await verify(secret, body, headers['x-hub-signature-256']))) throw new Error('the signature is wrong')
console.log(JSON.parse(JSON.parse(body).data).id)
