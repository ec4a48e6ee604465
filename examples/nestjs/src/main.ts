import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { receiveWebhooks } from 'payhook/express'
import { AppModule } from './app-module.js'
import { WebhooksService } from './webhooks-service.js'

const app = await NestFactory.create(AppModule)
app.enableShutdownHooks()
app.use('/webhooks', receiveWebhooks(app.get(WebhooksService).receiver)) // before listen(), which adds the body parser
await app.listen(process.env.PORT ?? 3000)
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    app.getHttpServer().maxRequestsPerSocket = 1 // closes the connections that a proxy keeps open
  })
}
console.log(`listening on ${await app.getUrl()}`)
