export { createNotification, type NotificationOptions, type SignedRequest } from './create-notification.ts'
export { type DeliverOptions, deliver } from './deliver.ts'
export { type Overrides, type SampleObject, type SampleValue, sampleData } from './sample-data.ts'
