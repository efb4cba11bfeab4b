/** The form, loaded after the shell because its fields are a third of the app. */
export { SubmitForm as default } from '@tarsy/ui';
