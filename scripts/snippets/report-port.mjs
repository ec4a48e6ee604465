// Preloaded into a snippet: its server takes a free port instead of 3000, and reports it.
import { Server } from 'node:net'

const { listen } = Server.prototype
Server.prototype.listen = function (where, ...rest) {
  if (String(where?.port ?? where) !== '3000') return listen.call(this, where, ...rest)
  this.once('listening', () => process.send({ port: this.address().port }))
  return listen.call(this, typeof where === 'object' ? { ...where, port: 0 } : 0, ...rest)
}
process.channel.unref()
