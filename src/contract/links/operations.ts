/** Operations: linking. */

import { operation } from '../kernel/operation.ts'
import * as link from './link.ts'
import * as demo from './link-demo.ts'
import * as oauth from './link-oauth.ts'

export const linkOperations = {
  'link.token': operation({
    route: 'POST /v2/link/token',
    tag: 'Linking',
    summary: 'Create a link token, valid for 60 minutes and one link',
    body: link.linkTokenRequest,
    reply: link.linkTokenReply,
    errors: [404],
  }),
  'link.password': operation({
    route: 'POST /v2/link/provider/password/{provider}',
    auth: 'link_token',
    tag: 'Linking',
    summary: "Link a user's account with a user name and password",
    params: link.passwordParams,
    body: link.passwordRequest,
    reply: link.linkResult,
    takesLong: 'changes',
  }),
  'link.complete_mfa': operation({
    route: 'POST /v2/link/provider/password/{provider}/complete_mfa',
    auth: 'link_token',
    tag: 'Linking',
    summary: 'Complete a link with a multi-factor code',
    params: link.passwordParams,
    body: link.mfaRequest,
    reply: link.linkResult,
    takesLong: 'changes',
  }),
  'link.email': operation({
    route: 'POST /v2/link/provider/email/{provider}',
    auth: 'link_token',
    tag: 'Linking',
    summary: "Link a user's account with an e-mail address",
    params: link.emailParams,
    body: link.emailRequest,
    reply: link.linkResult,
    takesLong: 'changes',
  }),
  'link.oauth': operation({
    route: 'GET /v2/link/provider/oauth/{provider}',
    auth: 'link_token',
    tag: 'Linking',
    summary: 'Start an OAuth link and get its consent page',
    params: oauth.oauthParams,
    reply: oauth.oauthSource,
    errors: [400],
    idempotent: false,
  }),
  'link.oauth_consent': operation({
    route: 'POST /svc/v1/link/oauth/{provider}/consent',
    auth: 'link_token',
    tag: 'Linking',
    summary: "Answer a consent page without a browser; the link token header carries the page's state",
    params: oauth.oauthParams,
    body: oauth.consentRequest,
    reply: link.linkResult,
    takesLong: 'changes',
  }),
  'link.providers': operation({
    route: 'GET /v2/link/providers',
    auth: 'link_token',
    tag: 'Linking',
    summary: 'List the providers a link token can be used for',
    reply: oauth.sourceLinks,
    errors: [400],
  }),
  'link.demo': operation({
    route: 'POST /v2/link/connect/demo',
    tag: 'Linking',
    summary: 'Give a user a demo connection with synthetic data for 7 days',
    body: demo.demoRequest,
    reply: demo.demoReply,
    errors: [400, 404],
    takesLong: 'changes',
  }),
  'link.complete_mfa_for_user': operation({
    route: 'POST /svc/v1/users/{user_id}/link/{provider}/complete_mfa',
    tag: 'Linking',
    summary: "Complete a user's newest pending sign-in without its link token",
    params: link.userMfaParams,
    body: link.mfaRequest,
    reply: link.linkResult,
    errors: [404],
    takesLong: 'changes',
  }),
} as const
