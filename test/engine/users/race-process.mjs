/**
 * One of two racing processes: for each name in turn it undoes the deletion of its user, or creates it again, and at the end prints which
 * names it got. Arguments: the engine module, the data folder, `undo` or `create`, how many names.
 */
import { pathToFileURL } from 'node:url'

const [modulePath, dataDir, what, count] = process.argv.slice(2)
const { openEngine, runOperation } = (await import(pathToFileURL(modulePath).href)).default
const engine = await openEngine({ dataDir, waitForLock: 'blocking' })
const team = await engine.localTeam()
process.send('ready')
await new Promise(resolve => process.once('message', resolve))
const won = []
for (let i = 0; i < Number(count); i++) {
  try {
    await runOperation(engine.context, what === 'undo' ? 'user.undo_delete' : 'user.create', {
      input: { params: {}, query: {}, body: { client_user_id: `name-${i}` } },
      credentials: { kind: 'team', team, linkToken: null },
      accept: '*/*',
    })
    won.push(i)
  } catch (error) {
    if (error.code !== 'undo_refused' && error.code !== 'client_user_id_taken') throw error
  }
}
process.send({ won })
await engine.close()
process.disconnect()
