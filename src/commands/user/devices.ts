/** `svc user devices`. */
import { string } from '@oclif/core/flags'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { factSheet, fields, view } from '../../output/view.ts'

export default class UserDevices extends WatchedCommand {
  static override summary = "List a user's devices, or show one device"
  static override description =
    'Devices are discovered from links and from data that mentions them. The id column contains the device_id in ' +
    'the source of samples and summaries.'
  static override examples = toExamples('ada', 'ada --device 4b1f7c1e-0000-4000-8000-000000000000')
  static override args = { user: userArgument() }
  static override flags = { device: string({ description: 'Show only this device', helpValue: 'ID' }) }

  protected override async look(): Promise<void> {
    const { args, flags } = await this.parse(UserDevices)
    const device_id = flags.device
    if (device_id !== undefined) {
      const device = await this.withUser(args.user, user_id =>
        this.ask('user.device', { params: { user_id, device_id } }),
      )
      await this.print(device, factSheet(device))
      return
    }
    const devices = await this.withUser(args.user, user_id => this.ask('user.devices', { params: { user_id } }))
    const columns = {
      ...fields<(typeof devices)[number]>('id', 'provider', 'source_type'),
      manufacturer: (device: (typeof devices)[number]) => device.device_manufacturer,
      model: (device: (typeof devices)[number]) => device.device_model,
      version: (device: (typeof devices)[number]) => device.device_version,
    }
    await this.print(devices, view(devices, columns, 'No devices.'))
  }
}
