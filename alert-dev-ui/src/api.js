/** Shows the description of the API, and lets people try its operations. */
// As it was published: it is minified, and none of it is left out.
import library from 'swagger-ui-dist/swagger-ui-bundle.js?url';
import 'swagger-ui-dist/swagger-ui.css';

const show = () => window.SwaggerUIBundle({ url: '/openapi.json', dom_id: '#api', deepLinking: true, validatorUrl: null });
document.head.append(Object.assign(document.createElement('script'), { src: library, onload: show }));
