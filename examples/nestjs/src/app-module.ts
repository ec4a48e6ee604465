import { Module } from '@nestjs/common'
import { HealthController } from './health-controller.js'
import { PaymentsService } from './payments-service.js'
import { WebhooksService } from './webhooks-service.js'

@Module({ controllers: [HealthController], providers: [PaymentsService, WebhooksService] })
export class AppModule {}
