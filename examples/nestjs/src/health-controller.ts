import { Controller, Get, ServiceUnavailableException } from '@nestjs/common'
import { WebhooksService } from './webhooks-service.js'

@Controller('health')
export class HealthController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  async read() {
    const health = await this.webhooks.inbox.health({ lagMs: 60_000 })
    if (health.status === 'fail') throw new ServiceUnavailableException(health)
    return health
  }
}
