"""Coverage of `gym.*`: every function of Isaac Gym's `Gym` object."""

from __future__ import annotations

from rofunc_isaac.compat.coverage import Coverage, words

_NO_VIEWER = "does nothing: there is no viewer"
_AS_JOINTS_ALLOW = (
    "a link goes where its joints allow; a DOF whose link is put elsewhere stays as it is"
)
_JOINT_FRAME = "the x axis of a joint's frame is its axis; the turn about it is not Isaac Gym's"

GYM = Coverage(
    complete=words(
        """
        get_actor_tendon_properties set_actor_tendon_properties set_asset_tendon_properties
        get_actor_scale

        acquire_jacobian_tensor acquire_mass_matrix_tensor refresh_jacobian_tensors
        refresh_mass_matrix_tensors

        destroy_sim fetch_results get_frame_count get_sim_params get_sim_time prepare_sim simulate
        begin_aggregate create_box create_capsule create_sphere end_aggregate

        find_asset_dof_index find_asset_joint_index find_asset_rigid_body_index
        get_asset_actuator_count get_asset_actuator_joint_name get_asset_actuator_name
        get_asset_actuator_properties get_asset_dof_count get_asset_dof_dict get_asset_dof_name
        get_asset_dof_names get_asset_dof_properties get_asset_dof_type get_asset_joint_count
        get_asset_joint_name get_asset_joint_names get_asset_joint_type get_asset_rigid_body_count
        get_asset_rigid_body_dict get_asset_rigid_body_name get_asset_rigid_body_names
        get_asset_rigid_shape_count get_asset_rigid_shape_properties debug_print_asset
        find_asset_actuator_index find_asset_tendon_index get_asset_fixed_tendon_joint_coefficients
        get_asset_fixed_tendon_joint_name get_asset_joint_dict get_asset_rigid_body_shape_indices
        get_asset_tendon_count get_asset_tendon_name get_asset_tendon_properties

        find_actor_handle find_actor_rigid_body_handle get_actor_asset get_actor_count
        get_actor_dof_count get_actor_dof_dict get_actor_dof_names get_actor_dof_properties
        get_actor_handle get_actor_index get_actor_name get_actor_rigid_body_count
        get_actor_rigid_body_dict get_actor_rigid_body_names get_actor_rigid_shape_count
        get_actor_rigid_shape_properties get_env get_env_count get_env_dof_count get_env_origin
        get_env_rigid_body_count get_sim_actor_count get_sim_dof_count get_sim_force_sensor_count
        get_sim_rigid_body_count enable_actor_dof_force_sensors find_actor_actuator_index
        find_actor_dof_handle find_actor_dof_index find_actor_index find_actor_joint_handle
        find_actor_joint_index find_actor_rigid_body_index find_actor_tendon_index
        get_actor_actuator_count get_actor_actuator_joint_name get_actor_actuator_name
        get_actor_actuator_properties get_actor_dof_handle get_actor_dof_index
        get_actor_force_sensor_count get_actor_joint_count get_actor_joint_dict
        get_actor_joint_handle get_actor_joint_index get_actor_joint_names
        get_actor_rigid_body_handle get_actor_rigid_body_index get_actor_rigid_body_properties
        get_actor_rigid_body_shape_indices get_actor_root_rigid_body_handle get_actor_tendon_count
        get_actor_tendon_name get_attractor_properties get_rigid_transform set_attractor_target

        acquire_actor_root_state_tensor acquire_dof_state_tensor acquire_force_sensor_tensor
        refresh_actor_root_state_tensor refresh_dof_force_tensor refresh_dof_state_tensor
        refresh_force_sensor_tensor set_actor_root_state_tensor set_actor_root_state_tensor_indexed
        set_dof_actuation_force_tensor set_dof_position_target_tensor set_dof_state_tensor
        set_dof_state_tensor_indexed set_dof_velocity_target_tensor acquire_net_contact_force_tensor
        acquire_rigid_body_state_tensor apply_rigid_body_force_at_pos_tensors
        apply_rigid_body_force_tensors refresh_net_contact_force_tensor
        refresh_rigid_body_state_tensor set_dof_actuation_force_tensor_indexed
        set_dof_position_target_tensor_indexed set_dof_velocity_target_tensor_indexed

        get_actor_force_sensor

        get_actor_rigid_body_states get_env_rigid_body_states get_sim_rigid_body_states
        get_rigid_handle get_rigid_name get_rigid_linear_velocity get_rigid_angular_velocity
        set_rigid_linear_velocity set_rigid_angular_velocity get_vec_rigid_transform
        get_vec_rigid_linear_velocity get_vec_rigid_angular_velocity get_actor_dof_states
        set_actor_dof_states get_vec_actor_dof_states get_dof_position get_dof_velocity
        get_actor_dof_position_targets set_actor_dof_position_targets get_actor_dof_velocity_targets
        set_actor_dof_velocity_targets get_dof_target_position set_dof_target_position
        get_dof_target_velocity set_dof_target_velocity apply_actor_dof_efforts apply_dof_effort
        get_actor_dof_forces get_actor_dof_frames get_dof_frame get_env_joint_count
        get_sim_joint_count get_joint_type_string get_dof_type_string get_joint_handle
        get_joint_name get_joint_position get_joint_velocity get_joint_target_position
        set_joint_target_position get_joint_target_velocity set_joint_target_velocity
        apply_body_forces apply_body_force_at_pos

        get_version get_elapsed_time create_performance_timers destroy_performance_timers load_urdf
        load_mjcf create_aggregate set_sim_device

        set_rigid_body_color set_rigid_body_segmentation_id

        attach_camera_to_body step_graphics create_texture_from_buffer destroy_camera_sensor
        end_access_image_tensors free_texture get_camera_transform get_camera_view_matrix
        get_rigid_body_color get_rigid_body_segmentation_id get_rigid_body_texture
        set_camera_location set_camera_transform set_rigid_body_texture start_access_image_tensors
        reset_actor_materials render_all_camera_sensors

        find_actor_fixed_tendon_joint_index get_actor_fixed_tendon_joint_coefficients
        get_actor_fixed_tendon_joint_name get_actor_soft_body_count get_asset_soft_body_count
        get_sim_tetrahedra_count get_sim_triangle_count

        set_asset_fixed_tendon_joint_coefficients

        get_actor_tendon_offset
        """
    ),
    approximate={
        **dict.fromkeys(
            words(
                """
                add_lines clear_lines destroy_viewer draw_env_rigid_contacts draw_env_soft_contacts
                draw_viewer poll_viewer_events query_viewer_action_events query_viewer_has_closed
                subscribe_viewer_keyboard_event subscribe_viewer_mouse_event sync_frame_time
                viewer_camera_look_at
                """
            ),
            _NO_VIEWER,
        ),
        **dict.fromkeys(
            words(
                """
                set_actor_rigid_body_states set_env_rigid_body_states set_rigid_body_state_tensor
                set_rigid_transform set_sim_rigid_body_states
                """
            ),
            _AS_JOINTS_ALLOW,
        ),
        **dict.fromkeys(words("get_actor_joint_transforms get_joint_transform"), _JOINT_FRAME),
        **dict.fromkeys(
            words(
                """
                get_env_rigid_contact_forces get_rigid_contact_forces
                get_vec_env_rigid_contact_forces
                """
            ),
            "of the present state, not of the last physics step",
        ),
        **dict.fromkeys(
            words("get_env_rigid_contacts get_rigid_contacts"),
            "of the present state; body0 is the lower body and the ground always body1; "
            "lambdaFriction is along the two tangents; minDist and the offsets are 0",
        ),
        **dict.fromkeys(
            words(
                """
                get_viewer_camera_handle get_viewer_camera_transform get_viewer_mouse_position
                get_viewer_size write_viewer_image_to_file
                """
            ),
            "always raises: there is no viewer",
        ),
        **dict.fromkeys(
            words("get_camera_image get_camera_image_gpu_tensor"),
            "colour, depth and segmentation; no optical flow, and no look of Isaac Gym's",
        ),
        "get_camera_proj_matrix": "of OpenGL; Isaac Gym's own third column is not published",
        "get_performance_timers": "physics and images are timed, on the host",
        "acquire_dof_force_tensor": "the drive, spring and damper of each DOF in the last substep; "
        "what its limits hold it with is left out",
        "add_ground": "one plane, the last one given; dynamic_friction counts for both kinds, "
        "restitution is not used",
        "add_heightfield": "dynamic_friction counts for both kinds, restitution is not used",
        "add_triangle_mesh": "a mesh over a regular grid collides as a height field, any other as "
        "the convex hulls of its connected parts; friction as with add_heightfield",
        "create_actor": "environments may hold other assets, but of the same trees of bodies and "
        "joints",
        "apply_body_force": "the early name of apply_body_force_at_pos, in ENV_SPACE",
        "create_asset_force_sensor": "the net force on the body at its centre of mass; of it, "
        "constraint solver forces are what contacts, limits and joint friction add; drives count "
        "for forward dynamics",
        "create_force_sensor": "a call of Isaac Gym's Preview 2, as create_asset_force_sensor",
        "create_camera_sensor": "a camera sees its own environment alone; it needs EGL or OSMesa",
        "create_texture_from_file": "PNG, other formats where Pillow is installed; before "
        "prepare_sim",
        "create_env": "each environment is a world of its own, whatever its bounds: things of two "
        "environments never touch",
        "create_rigid_body_attractor": "for the axes AXIS_TRANSLATION or AXIS_ALL only",
        "create_sim": "SIM_PHYSX only; where no device serves it, raises instead of returning "
        "None; of SimParams see there",
        "create_viewer": "always raises: there is no viewer, run headless",
        "load_asset": "MJCF with one root body and URDF, no USD; of AssetOptions see there",
        "set_actor_dof_properties": "`velocity` is enforced at the start of each frame, not "
        "of each substep; `friction` is a force, not a share of the load; the drive modes POS and "
        "VEL must be chosen before prepare_sim if no DOF had one",
        "set_actor_fixed_tendon_joint_coefficients": "before prepare_sim",
        "set_actor_tendon_offset": "before prepare_sim",
        "set_actor_rigid_body_properties": "flags cannot change, invMass and invInertia are not "
        "read",
        "set_actor_rigid_shape_properties": "friction and filter count, and filter only before "
        "prepare_sim; the rest is kept and not used",
        "set_actor_scale": "before prepare_sim alone; actors of several bodies or with meshes take "
        "sizes of whole per cents; limits of sliding joints stay",
        "set_asset_rigid_shape_properties": "friction and filter count; the rest is kept and not "
        "used",
        "set_attractor_properties": "the body, the axes and the offset stay as they were created",
        "set_light_parameters": "four lights without shadows; without any one shines from the "
        "camera",
        "set_sim_params": "after prepare_sim gravity alone takes effect, and another dt or "
        "substeps raises",
        "write_camera_image_to_file": "PNG; depths in grey, the nearest white",
    },
    missing=words(
        """
        load_opensim load_sim load_usd destroy_env attach_sim

        get_sensor

        acquire_particle_state_tensor acquire_pneumatic_pressure_tensor
        acquire_pneumatic_target_tensor create_cloth_grid create_tet_grid get_actor_soft_materials
        get_actor_tetrahedra_range get_actor_triangle_range get_asset_soft_materials
        get_pneumatic_pressure get_pneumatic_target get_sim_tetrahedra get_sim_triangles
        get_soft_contacts refresh_particle_state_tensor refresh_pneumatic_pressure_tensor
        refresh_pneumatic_target_tensor reset_actor_particles_to_rest set_actor_soft_materials
        set_particle_state_tensor set_particle_state_tensor_indexed set_pneumatic_pressure
        set_pneumatic_pressure_tensor set_pneumatic_pressure_tensor_indexed set_pneumatic_target
        set_pneumatic_target_tensor set_pneumatic_target_tensor_indexed

        create_usd_exporter destroy_usd_exporter export_usd_asset export_usd_sim get_usd_export_root
        omni_connect omni_disconnect set_usd_export_root
        """
    ),
    own=words(
        """
        get_unstable_env_mask set_actor_root_state_tensor_masked set_dof_state_tensor_masked
        """
    ),
)
