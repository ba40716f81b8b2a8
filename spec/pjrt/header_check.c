/* Compares src/pjrt/pjrt.h and aot.h with the header of PJRT: `make test-pjrt` compiles this file. Each line fails to
** compile if a number or an offset differs. */

#include <pjrt_c_api.h>

#include "aot.h"

#define SAME(a, b) _Static_assert((a) == (b), #a " differs")
#define FIELD(ours, field, theirs, name) SAME(offsetof(ours, field), offsetof(theirs, name))

SAME(PJRT_MAJOR, PJRT_API_MAJOR);
SAME(offsetof(pjrt_api, version.major), offsetof(PJRT_Api, pjrt_api_version.major_version));
SAME(offsetof(pjrt_api, version.minor), offsetof(PJRT_Api, pjrt_api_version.minor_version));
#define FUNCTION(name, number) SAME(offsetof(pjrt_api, call) + number * sizeof(void *), offsetof(PJRT_Api, PJRT_##name));
PJRT_FUNCTIONS(FUNCTION)
AOT_FUNCTIONS(FUNCTION)
#define TYPE(name, theirs, number) SAME(number, PJRT_Buffer_Type_##theirs);
PJRT_TYPES(TYPE)
SAME((int)PJRT_COPIES_AT_ONCE, (int)PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);

FIELD(pjrt_handle, handle, PJRT_Error_Destroy_Args, error);
FIELD(pjrt_handle, handle, PJRT_Event_Destroy_Args, event);
FIELD(pjrt_handle, handle, PJRT_Event_Await_Args, event);
FIELD(pjrt_handle, handle, PJRT_Client_Destroy_Args, client);
FIELD(pjrt_handle, handle, PJRT_Buffer_Destroy_Args, buffer);
FIELD(pjrt_handle, handle, PJRT_LoadedExecutable_Destroy_Args, executable);
SAME(sizeof(pjrt_nothing), PJRT_Plugin_Initialize_Args_STRUCT_SIZE);

FIELD(pjrt_list, handle, PJRT_Error_Message_Args, error);
FIELD(pjrt_list, text, PJRT_Error_Message_Args, message);
FIELD(pjrt_list, length, PJRT_Error_Message_Args, message_size);
FIELD(pjrt_list, text, PJRT_Client_PlatformName_Args, platform_name);
FIELD(pjrt_list, text, PJRT_Client_PlatformVersion_Args, platform_version);
FIELD(pjrt_list, handle, PJRT_DeviceDescription_Kind_Args, device_description);
FIELD(pjrt_list, text, PJRT_DeviceDescription_Kind_Args, device_kind);
FIELD(pjrt_list, length, PJRT_DeviceDescription_Kind_Args, device_kind_size);

FIELD(pjrt_client_create, options, PJRT_Client_Create_Args, create_options);
FIELD(pjrt_client_create, client, PJRT_Client_Create_Args, client);
SAME(sizeof(pjrt_client_create), PJRT_Client_Create_Args_STRUCT_SIZE);
FIELD(pjrt_list, handle, PJRT_Client_AddressableDevices_Args, client);
FIELD(pjrt_list, devices, PJRT_Client_AddressableDevices_Args, addressable_devices);
FIELD(pjrt_list, length, PJRT_Client_AddressableDevices_Args, num_addressable_devices);
FIELD(pjrt_answer, handle, PJRT_Device_GetDescription_Args, device);
FIELD(pjrt_answer, description, PJRT_Device_GetDescription_Args, device_description);
FIELD(pjrt_answer, handle, PJRT_DeviceDescription_Id_Args, device_description);
FIELD(pjrt_answer, id, PJRT_DeviceDescription_Id_Args, id);

FIELD(pjrt_program, code, PJRT_Program, code);
FIELD(pjrt_program, length, PJRT_Program, code_size);
FIELD(pjrt_program, format, PJRT_Program, format);
FIELD(pjrt_program, format_length, PJRT_Program, format_size);
FIELD(pjrt_compile, client, PJRT_Client_Compile_Args, client);
FIELD(pjrt_compile, program, PJRT_Client_Compile_Args, program);
FIELD(pjrt_compile, options, PJRT_Client_Compile_Args, compile_options);
FIELD(pjrt_compile, options_length, PJRT_Client_Compile_Args, compile_options_size);
FIELD(pjrt_compile, executable, PJRT_Client_Compile_Args, executable);

FIELD(pjrt_from_host, data, PJRT_Client_BufferFromHostBuffer_Args, data);
FIELD(pjrt_from_host, type, PJRT_Client_BufferFromHostBuffer_Args, type);
FIELD(pjrt_from_host, dims, PJRT_Client_BufferFromHostBuffer_Args, dims);
FIELD(pjrt_from_host, ndim, PJRT_Client_BufferFromHostBuffer_Args, num_dims);
FIELD(pjrt_from_host, semantics, PJRT_Client_BufferFromHostBuffer_Args, host_buffer_semantics);
FIELD(pjrt_from_host, device, PJRT_Client_BufferFromHostBuffer_Args, device);
FIELD(pjrt_from_host, done, PJRT_Client_BufferFromHostBuffer_Args, done_with_host_buffer);
FIELD(pjrt_from_host, buffer, PJRT_Client_BufferFromHostBuffer_Args, buffer);
FIELD(pjrt_to_host, buffer, PJRT_Buffer_ToHostBuffer_Args, src);
FIELD(pjrt_to_host, to, PJRT_Buffer_ToHostBuffer_Args, dst);
FIELD(pjrt_to_host, bytes, PJRT_Buffer_ToHostBuffer_Args, dst_size);
FIELD(pjrt_to_host, event, PJRT_Buffer_ToHostBuffer_Args, event);

FIELD(pjrt_execute_options, launch_id, PJRT_ExecuteOptions, launch_id);
FIELD(pjrt_execute_options, not_donated, PJRT_ExecuteOptions, non_donatable_input_indices);
FIELD(pjrt_execute_options, context, PJRT_ExecuteOptions, context);
FIELD(pjrt_execute_options, incarnations, PJRT_ExecuteOptions, incarnation_ids);
FIELD(pjrt_execute, executable, PJRT_LoadedExecutable_Execute_Args, executable);
FIELD(pjrt_execute, options, PJRT_LoadedExecutable_Execute_Args, options);
FIELD(pjrt_execute, arguments, PJRT_LoadedExecutable_Execute_Args, argument_lists);
FIELD(pjrt_execute, ndevices, PJRT_LoadedExecutable_Execute_Args, num_devices);
FIELD(pjrt_execute, nargs, PJRT_LoadedExecutable_Execute_Args, num_args);
FIELD(pjrt_execute, results, PJRT_LoadedExecutable_Execute_Args, output_lists);
FIELD(pjrt_execute, events, PJRT_LoadedExecutable_Execute_Args, device_complete_events);
FIELD(pjrt_execute, device, PJRT_LoadedExecutable_Execute_Args, execute_device);

FIELD(pjrt_handle, handle, PJRT_Executable_Destroy_Args, executable);
FIELD(aot_topology, name, PJRT_TopologyDescription_Create_Args, topology_name);
FIELD(aot_topology, length, PJRT_TopologyDescription_Create_Args, topology_name_size);
FIELD(aot_topology, topology, PJRT_TopologyDescription_Create_Args, topology);
SAME(sizeof(aot_topology), PJRT_TopologyDescription_Create_Args_STRUCT_SIZE);
FIELD(aot_compile, topology, PJRT_Compile_Args, topology);
FIELD(aot_compile, program, PJRT_Compile_Args, program);
FIELD(aot_compile, options, PJRT_Compile_Args, compile_options);
FIELD(aot_compile, options_length, PJRT_Compile_Args, compile_options_size);
FIELD(aot_compile, executable, PJRT_Compile_Args, executable);
SAME(sizeof(aot_compile), PJRT_Compile_Args_STRUCT_SIZE);
