// Preloaded into a snippet: its server takes a free port instead of the one in the page, and says which on
// stderr.
import { Server } from 'node:net'

const { listen } = Server.prototype
Server.prototype.listen = function (where, ...rest) {
  if (!['3000', '4949'].includes(String(where?.port ?? where))) return listen.call(this, where, ...rest)
  this.once('listening', () => process.stderr.write(`snippet listens on ${this.address().port}\n`))
  return listen.call(this, typeof where === 'object' ? { ...where, port: 0 } : 0, ...rest)
}
