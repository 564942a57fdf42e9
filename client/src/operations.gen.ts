// Generated from openapi.json by `npm run contract`.

import type * as types from './types.gen.ts';

/** What each operation takes and answers. */
export interface Operations {
  listUsers: { input: types.ListUsersData; answers: types.ListUsersResponses; failures: types.ListUsersErrors };
  getMe: { input: types.GetMeData; answers: types.GetMeResponses; failures: types.GetMeErrors };
  updateMe: { input: types.UpdateMeData; answers: types.UpdateMeResponses; failures: types.UpdateMeErrors };
  closeAccount: { input: types.CloseAccountData; answers: types.CloseAccountResponses; failures: types.CloseAccountErrors };
  getUser: { input: types.GetUserData; answers: types.GetUserResponses; failures: types.GetUserErrors };
  updateUser: { input: types.UpdateUserData; answers: types.UpdateUserResponses; failures: types.UpdateUserErrors };
  removeUser: { input: types.RemoveUserData; answers: types.RemoveUserResponses; failures: types.RemoveUserErrors };
  endUserSessions: { input: types.EndUserSessionsData; answers: types.EndUserSessionsResponses; failures: types.EndUserSessionsErrors };
  listUserSessions: { input: types.ListUserSessionsData; answers: types.ListUserSessionsResponses; failures: types.ListUserSessionsErrors };
  revokeUserSession: { input: types.RevokeUserSessionData; answers: types.RevokeUserSessionResponses; failures: types.RevokeUserSessionErrors };
  changeManyUsers: { input: types.ChangeManyUsersData; answers: types.ChangeManyUsersResponses; failures: types.ChangeManyUsersErrors };
  exportAccount: { input: types.ExportAccountData; answers: types.ExportAccountResponses; failures: types.ExportAccountErrors };
  refresh: { input: types.RefreshData; answers: types.RefreshResponses; failures: types.RefreshErrors };
  logout: { input: types.LogoutData; answers: types.LogoutResponses; failures: types.LogoutErrors };
  listSessions: { input: types.ListSessionsData; answers: types.ListSessionsResponses; failures: types.ListSessionsErrors };
  revokeOtherSessions: { input: types.RevokeOtherSessionsData; answers: types.RevokeOtherSessionsResponses; failures: types.RevokeOtherSessionsErrors };
  updateSession: { input: types.UpdateSessionData; answers: types.UpdateSessionResponses; failures: types.UpdateSessionErrors };
  revokeSession: { input: types.RevokeSessionData; answers: types.RevokeSessionResponses; failures: types.RevokeSessionErrors };
  getKeys: { input: types.GetKeysData; answers: types.GetKeysResponses; failures: types.GetKeysErrors };
  createPersonalToken: { input: types.CreatePersonalTokenData; answers: types.CreatePersonalTokenResponses; failures: types.CreatePersonalTokenErrors };
  listPersonalTokens: { input: types.ListPersonalTokensData; answers: types.ListPersonalTokensResponses; failures: types.ListPersonalTokensErrors };
  updatePersonalToken: { input: types.UpdatePersonalTokenData; answers: types.UpdatePersonalTokenResponses; failures: types.UpdatePersonalTokenErrors };
  revokePersonalToken: { input: types.RevokePersonalTokenData; answers: types.RevokePersonalTokenResponses; failures: types.RevokePersonalTokenErrors };
  listUserTokens: { input: types.ListUserTokensData; answers: types.ListUserTokensResponses; failures: types.ListUserTokensErrors };
  revokeUserToken: { input: types.RevokeUserTokenData; answers: types.RevokeUserTokenResponses; failures: types.RevokeUserTokenErrors };
  changePassword: { input: types.ChangePasswordData; answers: types.ChangePasswordResponses; failures: types.ChangePasswordErrors };
  forgetPassword: { input: types.ForgetPasswordData; answers: types.ForgetPasswordResponses; failures: types.ForgetPasswordErrors };
  resetPassword: { input: types.ResetPasswordData; answers: types.ResetPasswordResponses; failures: types.ResetPasswordErrors };
  beginTotp: { input: types.BeginTotpData; answers: types.BeginTotpResponses; failures: types.BeginTotpErrors };
  removeTotp: { input: types.RemoveTotpData; answers: types.RemoveTotpResponses; failures: types.RemoveTotpErrors };
  confirmTotp: { input: types.ConfirmTotpData; answers: types.ConfirmTotpResponses; failures: types.ConfirmTotpErrors };
  createRecoveryCodes: { input: types.CreateRecoveryCodesData; answers: types.CreateRecoveryCodesResponses; failures: types.CreateRecoveryCodesErrors };
  listSecondFactors: { input: types.ListSecondFactorsData; answers: types.ListSecondFactorsResponses; failures: types.ListSecondFactorsErrors };
  beginPasskeyRegistration: { input: types.BeginPasskeyRegistrationData; answers: types.BeginPasskeyRegistrationResponses; failures: types.BeginPasskeyRegistrationErrors };
  addPasskey: { input: types.AddPasskeyData; answers: types.AddPasskeyResponses; failures: types.AddPasskeyErrors };
  listPasskeys: { input: types.ListPasskeysData; answers: types.ListPasskeysResponses; failures: types.ListPasskeysErrors };
  updatePasskey: { input: types.UpdatePasskeyData; answers: types.UpdatePasskeyResponses; failures: types.UpdatePasskeyErrors };
  removePasskey: { input: types.RemovePasskeyData; answers: types.RemovePasskeyResponses; failures: types.RemovePasskeyErrors };
  resetUserFactors: { input: types.ResetUserFactorsData; answers: types.ResetUserFactorsResponses; failures: types.ResetUserFactorsErrors };
  verifyEmail: { input: types.VerifyEmailData; answers: types.VerifyEmailResponses; failures: types.VerifyEmailErrors };
  requestEmailVerification: { input: types.RequestEmailVerificationData; answers: types.RequestEmailVerificationResponses; failures: types.RequestEmailVerificationErrors };
  requestEmailChange: { input: types.RequestEmailChangeData; answers: types.RequestEmailChangeResponses; failures: types.RequestEmailChangeErrors };
  resendEmailChange: { input: types.ResendEmailChangeData; answers: types.ResendEmailChangeResponses; failures: types.ResendEmailChangeErrors };
  withdrawEmailChange: { input: types.WithdrawEmailChangeData; answers: types.WithdrawEmailChangeResponses; failures: types.WithdrawEmailChangeErrors };
  confirmEmailChange: { input: types.ConfirmEmailChangeData; answers: types.ConfirmEmailChangeResponses; failures: types.ConfirmEmailChangeErrors };
  revertEmailChange: { input: types.RevertEmailChangeData; answers: types.RevertEmailChangeResponses; failures: types.RevertEmailChangeErrors };
  createInvitation: { input: types.CreateInvitationData; answers: types.CreateInvitationResponses; failures: types.CreateInvitationErrors };
  listInvitations: { input: types.ListInvitationsData; answers: types.ListInvitationsResponses; failures: types.ListInvitationsErrors };
  revokeInvitation: { input: types.RevokeInvitationData; answers: types.RevokeInvitationResponses; failures: types.RevokeInvitationErrors };
  register: { input: types.RegisterData; answers: types.RegisterResponses; failures: types.RegisterErrors };
  resendRegistration: { input: types.ResendRegistrationData; answers: types.ResendRegistrationResponses; failures: types.ResendRegistrationErrors };
  login: { input: types.LoginData; answers: types.LoginResponses; failures: types.LoginErrors };
  completeLogin: { input: types.CompleteLoginData; answers: types.CompleteLoginResponses; failures: types.CompleteLoginErrors };
  restoreAccount: { input: types.RestoreAccountData; answers: types.RestoreAccountResponses; failures: types.RestoreAccountErrors };
  beginPasskeyLogin: { input: types.BeginPasskeyLoginData; answers: types.BeginPasskeyLoginResponses; failures: types.BeginPasskeyLoginErrors };
  loginWithPasskey: { input: types.LoginWithPasskeyData; answers: types.LoginWithPasskeyResponses; failures: types.LoginWithPasskeyErrors };
  getAuthSettings: { input: types.GetAuthSettingsData; answers: types.GetAuthSettingsResponses; failures: types.GetAuthSettingsErrors };
  setUp: { input: types.SetUpData; answers: types.SetUpResponses; failures: types.SetUpErrors };
  checkSetupLink: { input: types.CheckSetupLinkData; answers: types.CheckSetupLinkResponses; failures: types.CheckSetupLinkErrors };
  getContent: { input: types.GetContentData; answers: types.GetContentResponses; failures: types.GetContentErrors };
  updateContent: { input: types.UpdateContentData; answers: types.UpdateContentResponses; failures: types.UpdateContentErrors };
  patchContent: { input: types.PatchContentData; answers: types.PatchContentResponses; failures: types.PatchContentErrors };
  deleteContent: { input: types.DeleteContentData; answers: types.DeleteContentResponses; failures: types.DeleteContentErrors };
  createContent: { input: types.CreateContentData; answers: types.CreateContentResponses; failures: types.CreateContentErrors };
  listContent: { input: types.ListContentData; answers: types.ListContentResponses; failures: types.ListContentErrors };
  previewContent: { input: types.PreviewContentData; answers: types.PreviewContentResponses; failures: types.PreviewContentErrors };
  changeManyContent: { input: types.ChangeManyContentData; answers: types.ChangeManyContentResponses; failures: types.ChangeManyContentErrors };
  listContentVersions: { input: types.ListContentVersionsData; answers: types.ListContentVersionsResponses; failures: types.ListContentVersionsErrors };
  getContentVersion: { input: types.GetContentVersionData; answers: types.GetContentVersionResponses; failures: types.GetContentVersionErrors };
  compareContentVersions: { input: types.CompareContentVersionsData; answers: types.CompareContentVersionsResponses; failures: types.CompareContentVersionsErrors };
  restoreContentVersion: { input: types.RestoreContentVersionData; answers: types.RestoreContentVersionResponses; failures: types.RestoreContentVersionErrors };
  getContentBySlug: { input: types.GetContentBySlugData; answers: types.GetContentBySlugResponses; failures: types.GetContentBySlugErrors };
  getDraft: { input: types.GetDraftData; answers: types.GetDraftResponses; failures: types.GetDraftErrors };
  saveDraft: { input: types.SaveDraftData; answers: types.SaveDraftResponses; failures: types.SaveDraftErrors };
  discardDraft: { input: types.DiscardDraftData; answers: types.DiscardDraftResponses; failures: types.DiscardDraftErrors };
  publishContent: { input: types.PublishContentData; answers: types.PublishContentResponses; failures: types.PublishContentErrors };
  listTrash: { input: types.ListTrashData; answers: types.ListTrashResponses; failures: types.ListTrashErrors };
  restoreContent: { input: types.RestoreContentData; answers: types.RestoreContentResponses; failures: types.RestoreContentErrors };
  purgeContent: { input: types.PurgeContentData; answers: types.PurgeContentResponses; failures: types.PurgeContentErrors };
  listTags: { input: types.ListTagsData; answers: types.ListTagsResponses; failures: types.ListTagsErrors };
  listCategories: { input: types.ListCategoriesData; answers: types.ListCategoriesResponses; failures: types.ListCategoriesErrors };
  renameTag: { input: types.RenameTagData; answers: types.RenameTagResponses; failures: types.RenameTagErrors };
  getTagRenaming: { input: types.GetTagRenamingData; answers: types.GetTagRenamingResponses; failures: types.GetTagRenamingErrors };
  renameCategory: { input: types.RenameCategoryData; answers: types.RenameCategoryResponses; failures: types.RenameCategoryErrors };
  getCategoryRenaming: { input: types.GetCategoryRenamingData; answers: types.GetCategoryRenamingResponses; failures: types.GetCategoryRenamingErrors };
  createWebhook: { input: types.CreateWebhookData; answers: types.CreateWebhookResponses; failures: types.CreateWebhookErrors };
  listWebhooks: { input: types.ListWebhooksData; answers: types.ListWebhooksResponses; failures: types.ListWebhooksErrors };
  getWebhook: { input: types.GetWebhookData; answers: types.GetWebhookResponses; failures: types.GetWebhookErrors };
  updateWebhook: { input: types.UpdateWebhookData; answers: types.UpdateWebhookResponses; failures: types.UpdateWebhookErrors };
  deleteWebhook: { input: types.DeleteWebhookData; answers: types.DeleteWebhookResponses; failures: types.DeleteWebhookErrors };
  replaceWebhookSecret: { input: types.ReplaceWebhookSecretData; answers: types.ReplaceWebhookSecretResponses; failures: types.ReplaceWebhookSecretErrors };
  listWebhookDeliveries: { input: types.ListWebhookDeliveriesData; answers: types.ListWebhookDeliveriesResponses; failures: types.ListWebhookDeliveriesErrors };
  testWebhook: { input: types.TestWebhookData; answers: types.TestWebhookResponses; failures: types.TestWebhookErrors };
  redeliverWebhook: { input: types.RedeliverWebhookData; answers: types.RedeliverWebhookResponses; failures: types.RedeliverWebhookErrors };
  listenToEvents: { input: types.ListenToEventsData; answers: types.ListenToEventsResponses; failures: types.ListenToEventsErrors };
  createEventTicket: { input: types.CreateEventTicketData; answers: types.CreateEventTicketResponses; failures: types.CreateEventTicketErrors };
  listAuditEvents: { input: types.ListAuditEventsData; answers: types.ListAuditEventsResponses; failures: types.ListAuditEventsErrors };
  listOwnEvents: { input: types.ListOwnEventsData; answers: types.ListOwnEventsResponses; failures: types.ListOwnEventsErrors };
  listBackups: { input: types.ListBackupsData; answers: types.ListBackupsResponses; failures: types.ListBackupsErrors };
  requestBackup: { input: types.RequestBackupData; answers: types.RequestBackupResponses; failures: types.RequestBackupErrors };
  getSystem: { input: types.GetSystemData; answers: types.GetSystemResponses; failures: types.GetSystemErrors };
  getIndex: { input: types.GetIndexData; answers: types.GetIndexResponses; failures: types.GetIndexErrors };
  getLiveness: { input: types.GetLivenessData; answers: types.GetLivenessResponses; failures: types.GetLivenessErrors };
  getReadiness: { input: types.GetReadinessData; answers: types.GetReadinessResponses; failures: types.GetReadinessErrors };
}

/** Method and path of each operation; `open` marks one that takes no token, `keyed` one that takes a key. */
export const operations = {
  listUsers: 'GET /api/users',
  getMe: 'GET /api/users/me',
  updateMe: 'PUT /api/users/me',
  closeAccount: 'DELETE /api/users/me',
  getUser: 'GET /api/users/{id}',
  updateUser: 'PUT /api/users/{id}',
  removeUser: 'DELETE /api/users/{id}',
  endUserSessions: 'DELETE /api/users/{id}/sessions',
  listUserSessions: 'GET /api/users/{id}/sessions',
  revokeUserSession: 'DELETE /api/users/{id}/sessions/{session_id}',
  changeManyUsers: 'POST /api/users/bulk',
  exportAccount: 'GET /api/users/me/export',
  refresh: 'POST /api/auth/refresh',
  logout: 'POST /api/auth/logout',
  listSessions: 'GET /api/auth/sessions',
  revokeOtherSessions: 'DELETE /api/auth/sessions',
  updateSession: 'PUT /api/auth/sessions/{id}',
  revokeSession: 'DELETE /api/auth/sessions/{id}',
  getKeys: 'GET /.well-known/jwks.json open',
  createPersonalToken: 'POST /api/auth/tokens',
  listPersonalTokens: 'GET /api/auth/tokens',
  updatePersonalToken: 'PUT /api/auth/tokens/{id}',
  revokePersonalToken: 'DELETE /api/auth/tokens/{id}',
  listUserTokens: 'GET /api/users/{id}/tokens',
  revokeUserToken: 'DELETE /api/users/{id}/tokens/{token_id}',
  changePassword: 'POST /api/auth/password',
  forgetPassword: 'POST /api/auth/password/forgotten open',
  resetPassword: 'POST /api/auth/password/reset open',
  beginTotp: 'POST /api/auth/totp',
  removeTotp: 'DELETE /api/auth/totp',
  confirmTotp: 'POST /api/auth/totp/confirm',
  createRecoveryCodes: 'POST /api/auth/recovery-codes',
  listSecondFactors: 'GET /api/auth/second-factors',
  beginPasskeyRegistration: 'POST /api/auth/passkeys/options',
  addPasskey: 'POST /api/auth/passkeys',
  listPasskeys: 'GET /api/auth/passkeys',
  updatePasskey: 'PUT /api/auth/passkeys/{id}',
  removePasskey: 'DELETE /api/auth/passkeys/{id}',
  resetUserFactors: 'DELETE /api/users/{id}/second-factors',
  verifyEmail: 'POST /api/auth/email/verify open',
  requestEmailVerification: 'POST /api/auth/email/verification',
  requestEmailChange: 'POST /api/auth/email',
  resendEmailChange: 'POST /api/auth/email/change/resend',
  withdrawEmailChange: 'DELETE /api/auth/email/change',
  confirmEmailChange: 'POST /api/auth/email/confirm open',
  revertEmailChange: 'POST /api/auth/email/revert open',
  createInvitation: 'POST /api/invitations',
  listInvitations: 'GET /api/invitations',
  revokeInvitation: 'DELETE /api/invitations/{id}',
  register: 'POST /api/auth/register open',
  resendRegistration: 'POST /api/auth/register/resend open',
  login: 'POST /api/auth/login open',
  completeLogin: 'POST /api/auth/login/second-factor open',
  restoreAccount: 'POST /api/auth/restore open',
  beginPasskeyLogin: 'POST /api/auth/login/passkey/options open',
  loginWithPasskey: 'POST /api/auth/login/passkey open',
  getAuthSettings: 'GET /api/auth/settings open',
  setUp: 'POST /api/setup open',
  checkSetupLink: 'POST /api/setup/link open',
  getContent: 'GET /api/content/{id}',
  updateContent: 'PUT /api/content/{id}',
  patchContent: 'PATCH /api/content/{id}',
  deleteContent: 'DELETE /api/content/{id}',
  createContent: 'POST /api/content keyed',
  listContent: 'GET /api/content',
  previewContent: 'POST /api/content/preview',
  changeManyContent: 'POST /api/content/bulk keyed',
  listContentVersions: 'GET /api/content/{id}/versions',
  getContentVersion: 'GET /api/content/{id}/versions/{version}',
  compareContentVersions: 'GET /api/content/{id}/versions/{version}/difference',
  restoreContentVersion: 'POST /api/content/{id}/versions/{version}/restore',
  getContentBySlug: 'GET /api/content/by-slug/{slug}',
  getDraft: 'GET /api/content/{id}/draft',
  saveDraft: 'PUT /api/content/{id}/draft',
  discardDraft: 'DELETE /api/content/{id}/draft',
  publishContent: 'POST /api/content/{id}/publish',
  listTrash: 'GET /api/content/trash',
  restoreContent: 'POST /api/content/trash/{id}/restore',
  purgeContent: 'DELETE /api/content/trash/{id}',
  listTags: 'GET /api/content/tags',
  listCategories: 'GET /api/content/categories',
  renameTag: 'PUT /api/content/tags/{name}',
  getTagRenaming: 'GET /api/content/tags/{name}',
  renameCategory: 'PUT /api/content/categories/{name}',
  getCategoryRenaming: 'GET /api/content/categories/{name}',
  createWebhook: 'POST /api/webhooks',
  listWebhooks: 'GET /api/webhooks',
  getWebhook: 'GET /api/webhooks/{id}',
  updateWebhook: 'PUT /api/webhooks/{id}',
  deleteWebhook: 'DELETE /api/webhooks/{id}',
  replaceWebhookSecret: 'POST /api/webhooks/{id}/secret',
  listWebhookDeliveries: 'GET /api/webhooks/{id}/deliveries',
  testWebhook: 'POST /api/webhooks/{id}/test',
  redeliverWebhook: 'POST /api/webhooks/{id}/deliveries/{delivery_id}/redeliver',
  listenToEvents: 'GET /api/events',
  createEventTicket: 'POST /api/events/tickets',
  listAuditEvents: 'GET /api/audit',
  listOwnEvents: 'GET /api/auth/events',
  listBackups: 'GET /api/backups',
  requestBackup: 'POST /api/backups',
  getSystem: 'GET /api/system',
  getIndex: 'GET / open',
  getLiveness: 'GET /livez open',
  getReadiness: 'GET /readyz open',
} as const;
