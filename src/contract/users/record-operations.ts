/** Operations: users' profile info, insurance, devices and pulls. */

import { operation } from '../kernel/operation.ts'
import * as device from './device.ts'
import * as insurance from './insurance.ts'
import * as introspection from './introspection.ts'
import { userParams } from './user.ts'
import * as info from './user-info.ts'

export const userRecordOperations = {
  'user.info': operation({
    route: 'GET /v2/user/{user_id}/info/latest',
    beta: 'user_info',
    tag: 'User info',
    summary: 'Get the latest profile info of a user',
    params: userParams,
    reply: info.userInfo,
    errors: [404],
  }),
  'user.set_info': operation({
    route: 'PATCH /v2/user/{user_id}/info',
    beta: 'user_info',
    tag: 'User info',
    summary: 'Set the profile info of a user',
    params: userParams,
    body: info.setUserInfo,
    reply: info.userInfo,
    errors: [404],
    idempotent: true,
  }),
  'user.insurance': operation({
    route: 'GET /v2/user/{user_id}/insurance/latest',
    tag: 'User info',
    summary: 'Get the latest health insurance of a user',
    params: userParams,
    query: insurance.latestInsuranceQuery,
    reply: insurance.insurance,
    errors: [404],
  }),
  'user.add_insurance': operation({
    route: 'POST /v2/user/{user_id}/insurance',
    tag: 'User info',
    summary: 'Add health insurance for a user',
    params: userParams,
    body: insurance.createInsurance,
    reply: insurance.insurance,
    errors: [404],
  }),
  'user.devices': operation({
    route: 'GET /v2/user/{user_id}/device',
    hasNoHealthData: true,
    tag: 'Devices',
    summary: 'List the devices of a user',
    params: userParams,
    reply: device.deviceList,
    errors: [404],
  }),
  'user.device': operation({
    route: 'GET /v2/user/{user_id}/device/{device_id}',
    hasNoHealthData: true,
    tag: 'Devices',
    summary: 'Get a device of a user',
    params: device.deviceParams,
    reply: device.device,
    errors: [404],
  }),
  'introspect.resources': operation({
    route: 'GET /v2/introspect/resources',
    hasNoHealthData: true,
    tag: 'Introspection',
    summary: 'Show which data users have, by provider and resource',
    query: introspection.introspectionQuery,
    reply: introspection.userResources,
    errors: [404],
  }),
  'introspect.historical_pulls': operation({
    route: 'GET /v2/introspect/historical_pull',
    hasNoHealthData: true,
    tag: 'Introspection',
    summary: 'Show the historical pulls of users',
    query: introspection.introspectionQuery,
    reply: introspection.userHistoricalPulls,
    errors: [404],
  }),
} as const
