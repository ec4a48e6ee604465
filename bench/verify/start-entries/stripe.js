import Stripe from 'stripe'

const { body, headers, secret } = JSON.parse(process.argv[2])
const { webhooks } = new Stripe('sk_test_unused')
const event = webhooks.constructEvent(body, headers['stripe-signature'], secret)
console.log(JSON.parse(event.data).id)
