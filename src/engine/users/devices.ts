/** Lists and shows a user's devices. See docs/interface/users.md#users-24. */
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import type { UserId } from '../../core/ids.ts'
import type { DeviceRecord } from '../../store/data-write.ts'
import { type Handler, ok } from '../context.ts'
import { activeUser } from './users.ts'

type DeviceView = ReplyBody<Operations['user.device']>

export const listDevices: Handler<'user.devices'> = async (engine, { params }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const devices = await engine.store.devices.list(user.userId)
  return ok(devices.map(device => deviceView(user.userId, device)))
}

export const getDevice: Handler<'user.device'> = async (engine, { params }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const device = await engine.store.devices.find(user.userId, params.device_id)
  if (device === null) throw new ServiceError('not_found', 'Device not found')
  return ok(deviceView(user.userId, device))
}

/** Returns a device in the API's format. */
export function deviceView(userId: UserId, device: DeviceRecord): DeviceView {
  return {
    id: device.deviceId,
    user_id: userId,
    provider: device.provider,
    source_type: device.sourceType,
    app_id: device.appId,
    device_manufacturer: device.manufacturer,
    device_model: device.model,
    device_version: device.version,
    device_id: device.deviceId,
  }
}
